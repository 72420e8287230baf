// SPDX-License-Identifier: BSD-3-Clause
#include "hosted_processor.hpp"

#include <algorithm>
#include <limits>

namespace ovlp::sim {

void host_core::request(hosted_processor& by, double now_s) {
  if (running_ != nullptr) {
    waiting_.push_back(&by);
    return;
  }
  running_ = &by;
  by.run(now_s);
}

void host_core::release(double now_s) {
  running_ = nullptr;
  if (waiting_.empty()) return;
  running_ = waiting_.front();
  waiting_.pop_front();
  running_->run(now_s);
}

void hosted_processor::advance(double now_s) {
  double const active_s = grant_.pass(at_s_, now_s, state_ == state::runs ? 1 : 0);
  if (state_ == state::runs) jobs_.serve(rate_ * active_s);
  at_s_ = now_s;
}

void hosted_processor::set_rate() { rate_ = jobs_.empty() ? 0 : speed_ * std::min(1.0, (1 - taken_) / jobs_.count()); }

void hosted_processor::want_core(double now_s) {
  state_ = grant_.used_up() ? state::used_up : state::waits;
  if (state_ == state::waits) core_.request(*this, now_s);
}

void hosted_processor::leave_core(state to, double now_s) {
  state_ = to;
  core_.release(now_s);
}

void hosted_processor::run(double now_s) {
  advance(now_s);
  state_ = state::runs;
  changed_();
}

void hosted_processor::start(job& j, std::uint64_t sequence, double work_s, double now_s) {
  advance(now_s);
  jobs_.start(j, sequence, work_s);
  set_rate();
  if (state_ == state::idle) want_core(now_s);
}

void hosted_processor::set_taken(double cores, double now_s) {
  if (cores == taken_) return;
  advance(now_s);
  taken_ = cores;
  set_rate();
}

double hosted_processor::next_event_s() const {
  switch (state_) {
    case state::runs: return std::min(at_s_ + jobs_.left_s() / rate_, grant_.used_up_s(at_s_));
    case state::used_up: return grant_.renewed_s();
    case state::idle:
    case state::waits: break;
  }
  return std::numeric_limits<double>::infinity();
}

std::optional<processor::ended> hosted_processor::take_ended(double now_s) {
  bool const job_ends = state_ == state::runs && at_s_ + jobs_.left_s() / rate_ <= now_s;
  bool const grant_ends = state_ == state::runs && grant_.used_up_s(at_s_) <= now_s;
  advance(now_s);
  if (grant_ends) grant_.use_up();  // rounding must not leave a rest
  std::optional<ended> first;
  if (job_ends) {
    first = jobs_.take_first();
    set_rate();
  }
  if (state_ == state::used_up) {
    want_core(now_s);
  } else if (jobs_.empty()) {
    leave_core(state::idle, now_s);
  } else if (grant_ends) {
    leave_core(state::used_up, now_s);
  }
  return first;
}

}  // namespace ovlp::sim
