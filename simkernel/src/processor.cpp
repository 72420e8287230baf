// SPDX-License-Identifier: BSD-3-Clause
#include "processor.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace ovlp::sim {

void served_jobs::start(job& j, std::uint64_t sequence, double work_s) {
  jobs_.push_back({served_s_ + work_s, sequence, &j});
  std::push_heap(jobs_.begin(), jobs_.end(), std::greater{});
}

double served_jobs::left_s() const { return std::max(0.0, jobs_.front().end - served_s_); }

processor::ended served_jobs::take_first() {
  running const first = jobs_.front();
  served_s_ = std::max(served_s_, first.end);  // rounding must not leave a rest
  std::pop_heap(jobs_.begin(), jobs_.end(), std::greater{});
  jobs_.pop_back();
  if (jobs_.empty()) served_s_ = 0;
  return {first.who, first.sequence};
}

void own_processor::advance(double now_s) {
  jobs_.serve(rate_ * (grant_ ? grant_->pass(at_s_, now_s, busy_) : now_s - at_s_));
  at_s_ = now_s;
}

void own_processor::set_rate() {
  double const n = jobs_.count();
  rate_ = jobs_.empty() ? 0 : speed_ * std::min(1.0, (cores_ - taken_) / n);
  busy_ = taken_ + std::min(n, cores_ - taken_);
}

void own_processor::start(job& j, std::uint64_t sequence, double work_s, double now_s) {
  advance(now_s);
  jobs_.start(j, sequence, work_s);
  set_rate();
}

void own_processor::set_taken(double cores, double now_s) {
  if (cores == taken_) return;
  advance(now_s);
  taken_ = cores;
  set_rate();
}

double own_processor::next_event_s() const {
  if (jobs_.empty()) return std::numeric_limits<double>::infinity();
  double const active_s = jobs_.left_s() / rate_;
  return grant_ ? grant_->when(at_s_, active_s, busy_) : at_s_ + active_s;
}

std::optional<processor::ended> own_processor::take_ended(double now_s) {
  advance(now_s);
  ended const first = jobs_.take_first();
  set_rate();
  return first;
}

}  // namespace ovlp::sim
