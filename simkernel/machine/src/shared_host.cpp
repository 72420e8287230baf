// SPDX-License-Identifier: BSD-3-Clause
#include "shared_host.hpp"

#include <algorithm>
#include <utility>

namespace ovlp::machine {

double host_core::average_s() const {
  double sum_s = 0;
  for (shared_processor const* p : runnable_) sum_s += p->entity.virtual_s;
  return runnable_.empty() ? last_average_s_ : sum_s / static_cast<double>(runnable_.size());
}

double host_core::eligible_up_to_s() const {
  constexpr double rounding_s = 1e-9;
  return average_s() + rounding_s;
}

shared_processor* host_core::pick() const {
  double const bound_s = eligible_up_to_s();
  shared_processor* found = nullptr;
  for (shared_processor* p : runnable_) {
    bool const better = found == nullptr || p->entity.deadline_s < found->entity.deadline_s;
    if (p->entity.virtual_s <= bound_s && better) found = p;
  }
  return found;
}

void host_core::switch_to(shared_processor& next, double now_s) {
  running_ = &next;
  next.run(now_s);
}

void host_core::enqueue(shared_processor& node, double now_s) {
  if (running_ != nullptr) running_->contend(now_s);
  auto const others = static_cast<double>(runnable_.size());
  // So that it lags as much behind an average of which it is a part.
  double const lag_s = others > 0 ? node.entity.lag_s * (others + 1) / others : 0;
  node.entity.virtual_s = average_s() - lag_s;
  node.entity.deadline_s = node.entity.virtual_s + slice_s_;
  runnable_.push_back(&node);
  if (running_ == nullptr) {
    switch_to(node, now_s);
  } else if (running_->computes() && running_->entity.virtual_s > eligible_up_to_s() && pick() == &node) {
    running_->preempt(now_s);
    switch_to(node, now_s);
  }
}

void host_core::charge(scheduling_entity& to, double active_s) const {
  to.virtual_s += active_s;
  if (to.virtual_s >= to.deadline_s) to.deadline_s = to.virtual_s + slice_s_;
}

void host_core::dequeue(bool throttled, double now_s) {
  scheduling_entity& entity = running_->entity;
  last_average_s_ = average_s();
  double const lag_s = last_average_s_ - entity.virtual_s;
  entity.lag_s = throttled ? lag_s : std::max(0.0, lag_s);
  std::erase(runnable_, running_);
  running_ = nullptr;
  if (!runnable_.empty()) switch_to(*pick(), now_s);
}

shared_processor::shared_processor(event_queue& events, unsteady_speed speed, quota_budget const& budget,
                                   std::shared_ptr<host_core> core)
    : processor(events),
      speed_(std::move(speed)),
      budget_(budget),
      slice_s_(core->slice_s() > 0 ? core->slice_s() : never),
      core_(std::move(core)) {}

void shared_processor::serve_until(double now_s) {
  double const active_s = budget_.pass(at_s_, now_s, state_ == state::runs ? 1 : 0);
  if (state_ == state::runs) {
    threads_.front().left_s -= rate() * active_s;
    slice_left_s_ -= active_s;
    core_->charge(entity, active_s);
  }
  at_s_ = now_s;
}

void shared_processor::enqueue(double now_s) {
  state_ = budget_.spent() ? state::throttled : state::waits;
  if (state_ == state::waits) core_->enqueue(*this, now_s);
}

void shared_processor::dequeue(state to, double now_s) {
  state_ = to;
  core_->dequeue(to == state::throttled, now_s);
}

void shared_processor::run(double now_s) {
  serve_until(now_s);
  if (speed_.next_change_s() <= now_s) speed_.go_to(now_s);
  state_ = state::runs;
  events().changed(*this);
}

void shared_processor::preempt(double now_s) {
  serve_until(now_s);
  state_ = state::waits;
  events().changed(*this);
}

void shared_processor::contend(double now_s) {
  serve_until(now_s);
  events().changed(*this);
}

/// Nodes on cores of one machine: what these share is not modelled.
void shared_processor::start_at(double now_s, job& j, double work_s, float) {
  serve_until(now_s);
  if (now_s == ended_at_s_) {
    threads_.push_front({&j, work_s});
    slice_left_s_ = left_of_that_slice_s_;
    ended_at_s_ = -1;
  } else {
    if (threads_.empty()) slice_left_s_ = slice_s_;
    threads_.push_back({&j, work_s});
  }
  if (state_ == state::idle) enqueue(now_s);
  if (state_ == state::lingers) state_ = state::runs;
}

double shared_processor::job_end_s() const {
  double const left_s = threads_.front().left_s;
  if (left_s <= 0) return at_s_;  // though it may stand still
  if (rate() == 0) return never;
  return at_s_ + left_s / rate();
}

double shared_processor::slice_end_s() const { return threads_.size() > 1 ? at_s_ + slice_left_s_ : never; }

double shared_processor::next_event_s() const {
  // The core is kept for what begins in the same moment.
  constexpr double moment_s = 1e-9;
  switch (state_) {
    case state::runs:
      if (rate() == 0 && speed_.next_change_s() == never) return job_end_s();  // not slice after slice, for ever
      return std::max(at_s_, std::min({job_end_s(), slice_end_s(), budget_.spent_s(at_s_), speed_.next_change_s()}));
    case state::lingers: return ended_at_s_ + moment_s;
    case state::throttled: return budget_.refilled_s();
    case state::idle:
    case state::waits: break;
  }
  return never;
}

void shared_processor::advance(double now_s, std::vector<event*>& due) {
  bool const runs = state_ == state::runs;
  bool const job_ends = runs && job_end_s() <= now_s;
  bool const slice_ends = runs && slice_end_s() <= now_s;
  bool const budget_ends = runs && budget_.spent_s(at_s_) <= now_s;
  serve_until(now_s);
  if (speed_.next_change_s() <= now_s) speed_.go_to(now_s);
  if (budget_ends) budget_.spend_all();  // rounding must not leave a rest
  if (job_ends) {
    due.push_back(threads_.front().what);
    threads_.pop_front();
    ended_at_s_ = now_s;
    left_of_that_slice_s_ = slice_ends ? 0 : slice_left_s_;
    slice_left_s_ = slice_s_;
  } else if (slice_ends) {
    threads_.push_back(threads_.front());
    threads_.pop_front();
    slice_left_s_ = slice_s_;
  }
  if (state_ == state::throttled) {
    enqueue(now_s);
  } else if (state_ == state::lingers || (budget_ends && threads_.empty())) {
    dequeue(state::idle, now_s);
  } else if (budget_ends) {
    dequeue(state::throttled, now_s);
  } else if (threads_.empty()) {
    state_ = state::lingers;
  }
}

}  // namespace ovlp::machine
