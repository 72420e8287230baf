// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/borders.hpp>

#include <iterator>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

void borders::follow(std::shared_ptr<ovlp::policy> decides, ovlp::plan of) {
  policy_ = std::move(decides);
  plan_ = std::move(of);
}

void borders::order(std::optional<std::size_t> nodes) {
  if (nodes && (*nodes < 1 || *nodes > nodes_)) {
    throw config_error("expected 1 to " + std::to_string(nodes_) + " nodes (--nodes), got " + std::to_string(*nodes));
  }
  if (!nodes && !policy_) throw config_error("expected a run with a plan or a policy to follow (--plan, --policy)");
  scoped_lock const lock(mutex_);
  ordered_ = nodes;
}

borders::state borders::now() {
  scoped_lock const lock(mutex_);
  return {nodes_, held_.value_or(at_start()), last_, ordered_};
}

void borders::call_begins(std::uint64_t call, double now_s) {
  scoped_lock const lock(mutex_);
  last_measured_ = {call, now_s, now_s, 0};
}

std::uint64_t borders::last_call() {
  scoped_lock const lock(mutex_);
  return last_measured_.call;
}

border borders::measured(int iteration, std::uint64_t call, double now_s, double work_s) {
  border at{iteration, nodes_, *held_, now_s};
  if (!measures() || call != last_measured_.call) return at;
  moment& before = last_measured_;
  held_time const since = held_between_(before.at_s, now_s);
  at.time_s = now_s - before.begin_s;
  at.held_node_s = held_between_(before.begin_s, now_s).node_s;
  if (since.capacity_s > 0) at.efficiency = (work_s - before.work_s) / since.capacity_s;
  before.at_s = now_s;
  before.work_s = work_s;
  return at;
}

void borders::ask(int iteration, std::uint64_t call, double now_s, double work_s, policy::answer const& then) {
  if (!policy_ && !takes_orders_) return then(std::nullopt, "");
  auto const answer = [this, iteration, then](std::optional<decision> made, std::string const& error) {
    std::string why_not = error;
    try {
      made = accepted(iteration, std::move(made));
    } catch (config_error const& wrong) {
      why_not = wrong.what();
    }
    then(std::move(made), why_not);
  };
  std::optional<border> at;
  std::optional<decision> ordered;
  {
    scoped_lock const lock(mutex_);
    if (iteration > last_) {  // else overtaken, where iterations overlap: what came later holds
      last_ = iteration;
      if (!held_) held_ = at_start();
      at = measured(iteration, call, now_s, work_s);
      if (ordered_) ordered = {{*ordered_}, "order from outside"};
    }
  }
  if (!at) return then(std::nullopt, "");
  if (ordered || !policy_) return answer(ordered, "");
  policy_->ask(*at, answer);
}

std::optional<decision> borders::accepted(int iteration, std::optional<decision> made) {
  scoped_lock const lock(mutex_);
  if (!made || made->hold == *held_) return std::nullopt;
  if (made->hold.nodes < 1 || made->hold.nodes > nodes_) {
    throw config_error("after iteration " + std::to_string(iteration) + ": expected to hold 1 to " +
                       std::to_string(nodes_) + " nodes, got " + std::to_string(made->hold.nodes) + " (" +
                       made->reason + ")");
  }
  held_ = made->hold;
  return made;
}

borders::unmade borders::missed() {
  scoped_lock const lock(mutex_);
  unmade all{};
  if (last_measured_.call == 0) return all;  // no call has begun
  if (ordered_ && *ordered_ != held_.value_or(at_start()).nodes) all.ordered = ordered_;
  if (measures()) {
    all.nothing_measured = last_ == 0;
    return all;
  }
  auto const next = plan_.changes.upper_bound(last_);
  all.changes = static_cast<std::size_t>(std::distance(next, plan_.changes.end()));
  if (all.changes > 0) all.first_change = next->first;
  return all;
}

}  // namespace OVLP_CORE
}  // namespace ovlp
