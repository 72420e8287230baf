// SPDX-License-Identifier: BSD-3-Clause
#include "dedicated_processor.hpp"

#include <algorithm>
#include <functional>

namespace ovlp::machine {

void served_jobs::start(job& j, double work_s, std::size_t* counter) {
  jobs_.push_back({served_s_ + work_s, &j, counter});
  std::push_heap(jobs_.begin(), jobs_.end(), std::greater{});
}

double served_jobs::left_s() const { return std::max(0.0, jobs_.front().end - served_s_); }

job& served_jobs::take_first() {
  running const first = jobs_.front();
  served_s_ = std::max(served_s_, first.end);  // rounding must not leave a rest
  std::pop_heap(jobs_.begin(), jobs_.end(), std::greater{});
  jobs_.pop_back();
  if (jobs_.empty()) served_s_ = 0;
  if (first.counter != nullptr) --*first.counter;
  return *first.what;
}

void dedicated_processor::start_at(double now_s, job& j, double work_s) {
  serve_until(now_s);
  if (speed_.next_change_s() <= now_s) [[unlikely]]  // while it was idle
    speed_.go_to(now_s);
  jobs_.start(j, work_s);
  set_rate();
}

void dedicated_processor::serve_until(double now_s) {
  jobs_.serve(rate_ * (budget_ ? budget_->pass(at_s_, now_s, busy_) : now_s - at_s_));
  at_s_ = now_s;
}

void dedicated_processor::set_rate() {
  double const n = jobs_.count();
  rate_ = jobs_.empty() ? 0 : speed_.now() * std::min(1.0, (cores_ - taken()) / n);
  busy_ = taken() + std::min(n, cores_ - taken());
}

double dedicated_processor::next_event_s() const {
  if (jobs_.empty()) return never;
  return std::min(first_end_s(), speed_.next_change_s());
}

double dedicated_processor::first_end_s() const {
  double const left_s = jobs_.left_s();
  if (left_s == 0) return at_s_;  // though it may stand still
  if (rate_ == 0) return never;
  return budget_ ? budget_->when(at_s_, left_s / rate_, busy_) : at_s_ + left_s / rate_;
}

void dedicated_processor::advance(double now_s, std::vector<event*>& due) {
  bool const changes = speed_.next_change_s() <= now_s;
  bool const ends = !changes || first_end_s() <= now_s;
  serve_until(now_s);
  if (ends) due.push_back(&jobs_.take_first());
  if (changes) [[unlikely]]
    speed_.go_to(now_s);
  set_rate();
}

}  // namespace ovlp::machine
