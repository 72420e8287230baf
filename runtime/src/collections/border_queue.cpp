// SPDX-License-Identifier: BSD-3-Clause
#include "collections/border_queue.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "exchange/outbox.hpp"

namespace ovlp {
inline namespace OVLP_CORE {

void border_queue::handle_border_request(border_request const& message) {
  waiting_.push_back(message);
  next();
}

void border_queue::handle_border_done() {
  phase_ = phase::idle;
  next();
}

void border_queue::next() {
  while (phase_ == phase::idle && !waiting_.empty()) {
    told_work_s_.clear();
    if (!node_.settings().at_borders->measures()) {
      answer_first();
      continue;
    }
    phase_ = phase::measuring;
    awaited_ = held_;
    for (node_id node : held_) node_.outbox().tell(node, work_request{waiting_.front().call});
  }
}

void border_queue::handle_work_answer(node_id from, work_answer const& message) {
  if (!awaited_.contains(from)) return;  // it has left, and has told all
  told_work_s_[from] = message.work_s;
  stop_awaiting(from);
}

void border_queue::handle_left(node_id from, left const& message) {
  left_.add(message.call, message.work_s);
  told_work_s_.erase(from);
  stop_awaiting(from);  // it may end before it is asked
}

void border_queue::stop_awaiting(node_id node) {
  if (awaited_.erase(node) > 0 && awaited_.empty()) answer_first();
  next();
}

void border_queue::answer_first() {
  border_request const asked = waiting_.front();
  waiting_.pop_front();
  border_answer const made = decide(asked);
  phase_ = made.changes ? phase::changing : phase::idle;
  node_.outbox().tell(node_of_group(asked.request), made);
}

border_answer border_queue::decide(border_request const& asked) {
  border_answer answer{asked.request, false, {}, {}};
  double work_s = left_.of(asked.call);
  for (auto const& [node, told_s] : told_work_s_) work_s += told_s;
  try {
    double const now_s = node_.backend().now_s();
    std::optional<decision> const made =
        node_.settings().at_borders->decide(asked.iteration, asked.call, now_s, work_s);
    if (!made) return answer;
    answer.changes = true;
    answer.hold = made->hold;
    if (node_.records() != nullptr) node_.records()->decision({asked.iteration, made->hold.nodes, made->reason, now_s});
  } catch (std::exception const& wrong) {
    answer.error = wrong.what();
  }
  return answer;
}

std::string border_queue::broken_invariant() const {
  if (phase_ == phase::idle && !waiting_.empty()) return "a border waits, and nothing else does";
  if ((phase_ == phase::measuring) == awaited_.empty()) return "nodes are asked for work exactly while it is measured";
  if (phase_ == phase::measuring && waiting_.empty()) return "work is measured for no border";
  if (std::ranges::any_of(told_work_s_, [&](auto const& told) { return awaited_.contains(told.first); }))
    return "a node has told its work and is asked for it";
  return "";
}

}  // namespace OVLP_CORE
}  // namespace ovlp
