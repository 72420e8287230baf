// SPDX-License-Identifier: BSD-3-Clause
#include "hosted_processor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ovlp::sim {

double host_core::average_s() const {
  double sum_s = 0;
  for (hosted_processor const* p : wanting_) sum_s += p->share.virtual_s;
  return wanting_.empty() ? last_average_s_ : sum_s / static_cast<double>(wanting_.size());
}

double host_core::eligible_up_to_s() const {
  constexpr double rounding_s = 1e-9;
  return average_s() + rounding_s;
}

hosted_processor* host_core::best() const {
  double const bound_s = eligible_up_to_s();
  hosted_processor* found = nullptr;
  for (hosted_processor* p : wanting_) {
    bool const better = found == nullptr || p->share.deadline_s < found->share.deadline_s;
    if (p->share.virtual_s <= bound_s && better) found = p;
  }
  return found;
}

void host_core::give_to(hosted_processor& next, double now_s) {
  running_ = &next;
  next.run(now_s);
}

void host_core::request(hosted_processor& by, double now_s) {
  if (running_ != nullptr) running_->wanted(now_s);
  auto const others = static_cast<double>(wanting_.size());
  // So that it lags as much behind an average of which it is a part.
  double const lag_s = others > 0 ? by.share.lag_s * (others + 1) / others : 0;
  by.share.virtual_s = average_s() - lag_s;
  by.share.deadline_s = by.share.virtual_s + slice_s_;
  wanting_.push_back(&by);
  if (running_ == nullptr) {
    give_to(by, now_s);
  } else if (running_->computes() && running_->share.virtual_s > eligible_up_to_s() && best() == &by) {
    running_->wait(now_s);
    give_to(by, now_s);
  }
}

void host_core::charge(core_share& of, double active_s) const {
  of.virtual_s += active_s;
  if (of.virtual_s >= of.deadline_s) of.deadline_s = of.virtual_s + slice_s_;
}

void host_core::release(bool has_more, double now_s) {
  core_share& share = running_->share;
  last_average_s_ = average_s();
  double const lag_s = last_average_s_ - share.virtual_s;
  share.lag_s = has_more ? lag_s : std::max(0.0, lag_s);
  std::erase(wanting_, running_);
  running_ = nullptr;
  if (!wanting_.empty()) give_to(*best(), now_s);
}

void host_core::take_turns(double now_s) {
  hosted_processor& next = *best();
  if (&next == running_) return;
  running_->wait(now_s);
  give_to(next, now_s);
}

double host_core::next_beat_s(double now_s) const {
  if (turn_s_ == 0) return std::numeric_limits<double>::infinity();
  double const beat_s = first_s_ + turn_s_ * (std::floor((now_s - first_s_) / turn_s_) + 1);
  constexpr double now_again = 1e-6;  // of a turn: by rounding
  return beat_s - now_s > now_again * turn_s_ ? beat_s : beat_s + turn_s_;
}

void hosted_processor::advance(double now_s) {
  double const active_s = grant_.pass(at_s_, now_s, state_ == state::runs ? 1 : 0);
  if (state_ == state::runs) {
    threads_.front().left_s -= rate() * active_s;
    turn_left_s_ -= active_s;
    core_.charge(share, active_s);
  }
  at_s_ = now_s;
}

void hosted_processor::want_core(double now_s) {
  state_ = grant_.used_up() ? state::used_up : state::waits;
  if (state_ == state::waits) core_.request(*this, now_s);
}

void hosted_processor::leave_core(state to, double now_s) {
  state_ = to;
  core_.release(to == state::used_up, now_s);
}

void hosted_processor::run(double now_s) {
  advance(now_s);
  state_ = state::runs;
  changed_();
}

void hosted_processor::wait(double now_s) {
  advance(now_s);
  state_ = state::waits;
  changed_();
}

void hosted_processor::wanted(double now_s) {
  advance(now_s);
  changed_();
}

void hosted_processor::start(job& j, std::uint64_t sequence, double work_s, double now_s) {
  advance(now_s);
  if (now_s == ended_at_s_) {
    threads_.push_front({&j, sequence, work_s});
    turn_left_s_ = left_of_that_turn_s_;
    ended_at_s_ = -1;
  } else {
    if (threads_.empty()) turn_left_s_ = slice_s_;
    threads_.push_back({&j, sequence, work_s});
  }
  if (state_ == state::idle) want_core(now_s);
  if (state_ == state::pauses) state_ = state::runs;
}

void hosted_processor::set_taken(double cores, double now_s) {
  if (cores == taken_) return;
  advance(now_s);
  taken_ = cores;
}

double hosted_processor::turn_end_s() const {
  return threads_.size() > 1 ? at_s_ + turn_left_s_ : std::numeric_limits<double>::infinity();
}

double hosted_processor::next_event_s() const {
  // The core is kept for what begins in the same moment.
  constexpr double moment_s = 1e-9;
  switch (state_) {
    case state::runs:
      return std::max(at_s_, std::min({job_end_s(), turn_end_s(), core_turn_end_s(), grant_.used_up_s(at_s_)}));
    case state::pauses: return ended_at_s_ + moment_s;
    case state::used_up: return grant_.renewed_s();
    case state::idle:
    case state::waits: break;
  }
  return std::numeric_limits<double>::infinity();
}

std::optional<processor::ended> hosted_processor::take_ended(double now_s) {
  bool const runs = state_ == state::runs;
  bool const job_ends = runs && job_end_s() <= now_s;
  bool const turn_ends = runs && turn_end_s() <= now_s;
  bool const core_turn_ends = runs && core_turn_end_s() <= now_s;
  bool const grant_ends = runs && grant_.used_up_s(at_s_) <= now_s;
  advance(now_s);
  if (grant_ends) grant_.use_up();  // rounding must not leave a rest
  std::optional<ended> first;
  if (job_ends) {
    first = ended{threads_.front().what, threads_.front().sequence};
    threads_.pop_front();
    ended_at_s_ = now_s;
    left_of_that_turn_s_ = turn_ends ? 0 : turn_left_s_;
    turn_left_s_ = slice_s_;
  } else if (turn_ends) {
    threads_.push_back(threads_.front());
    threads_.pop_front();
    turn_left_s_ = slice_s_;
  }
  if (state_ == state::used_up) {
    want_core(now_s);
  } else if (state_ == state::pauses || (grant_ends && threads_.empty())) {
    leave_core(state::idle, now_s);
  } else if (grant_ends) {
    leave_core(state::used_up, now_s);
  } else if (threads_.empty()) {
    state_ = state::pauses;
  } else if (core_turn_ends) {
    core_.take_turns(now_s);
  }
  return first;
}

}  // namespace ovlp::sim
