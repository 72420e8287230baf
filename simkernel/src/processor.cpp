// SPDX-License-Identifier: BSD-3-Clause
#include "processor.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace ovlp::sim {

void processor::advance(double now_s) {
  served_s_ += rate_ * (grant_ ? grant_->pass(at_s_, now_s, busy_) : now_s - at_s_);
  at_s_ = now_s;
}

void processor::set_rate() {
  double const n = static_cast<double>(jobs_.size());
  rate_ = jobs_.empty() ? 0 : speed_ * std::min(1.0, (cores_ - taken_) / n);
  busy_ = taken_ + std::min(n, cores_ - taken_);
  if (jobs_.empty()) served_s_ = 0;
}

void processor::start(job& j, std::uint64_t sequence, double work_s, double now_s) {
  advance(now_s);
  jobs_.push_back({served_s_ + work_s, sequence, &j});
  std::push_heap(jobs_.begin(), jobs_.end(), std::greater{});
  set_rate();
}

void processor::set_taken(double cores, double now_s) {
  if (cores == taken_) return;
  advance(now_s);
  taken_ = cores;
  set_rate();
}

double processor::next_end_s() const {
  if (jobs_.empty()) return std::numeric_limits<double>::infinity();
  double const active_s = std::max(0.0, (jobs_.front().end - served_s_) / rate_);
  return grant_ ? grant_->when(at_s_, active_s, busy_) : at_s_ + active_s;
}

processor::ended processor::take_ended(double now_s) {
  advance(now_s);
  running const first = jobs_.front();
  served_s_ = std::max(served_s_, first.end);  // rounding must not leave a rest
  std::pop_heap(jobs_.begin(), jobs_.end(), std::greater{});
  jobs_.pop_back();
  set_rate();
  return {first.who, first.sequence};
}

}  // namespace ovlp::sim
