// SPDX-License-Identifier: BSD-3-Clause
#include "collections/border_queue.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/coordinator.hpp>
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
  if (phase_ != phase::idle || waiting_.empty()) return;
  told_work_s_.clear();
  if (!node_.settings().at_borders->measures()) return ask();
  phase_ = phase::measuring;
  awaited_ = held_;
  for (node_id node : held_) node_.outbox().tell(node, work_request{waiting_.front().call});
}

void border_queue::handle_work_answer(node_id from, work_answer const& message) {
  if (awaited_.erase(from) == 0) return;
  told_work_s_[from] = message.work_s;
  if (awaited_.empty()) ask();
}

/// It begins anew to count. If it is asked now it answers yet: until then it is not released.
void border_queue::handle_left(node_id from, left const& message) {
  left_.add(message.call, message.work_s);
  told_work_s_.erase(from);
}

void border_queue::ask() {
  phase_ = phase::deciding;
  border_request const& asked = waiting_.front();
  double work_s = left_.of(asked.call);
  for (auto const& [node, told_s] : told_work_s_) work_s += told_s;
  node_.settings().at_borders->ask(asked.iteration, asked.call, node_.backend().now_s(), work_s,
                                   [this](std::optional<decision> made, std::string const& error) {
                                     node_.coordinator().decided({std::move(made), error});
                                   });
}

void border_queue::handle_decision(border_decision const& decided) {
  border_request const asked = waiting_.front();
  waiting_.pop_front();
  border_answer answer{asked.request, decided.made.has_value(), {}, decided.error};
  if (decided.made) {
    answer.hold = decided.made->hold;
    if (node_.records() != nullptr)
      node_.records()->decision(
          {asked.iteration, decided.made->hold.nodes, decided.made->reason, node_.backend().now_s()});
  }
  phase_ = answer.changes ? phase::changing : phase::idle;
  node_.outbox().tell(node_of_group(asked.request), answer);
  next();
}

std::string border_queue::broken_invariant() const {
  if (phase_ == phase::idle && !waiting_.empty()) return "a border waits, and nothing else does";
  if ((phase_ == phase::measuring) == awaited_.empty()) return "nodes are asked for work exactly while it is measured";
  if ((phase_ == phase::measuring || phase_ == phase::deciding) && waiting_.empty())
    return "work is measured, or something decided, for no border";
  if (std::ranges::any_of(told_work_s_, [&](auto const& told) { return awaited_.contains(told.first); }))
    return "a node has told its work and is asked for it";
  return "";
}

}  // namespace OVLP_CORE
}  // namespace ovlp
