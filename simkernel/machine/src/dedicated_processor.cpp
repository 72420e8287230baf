// SPDX-License-Identifier: BSD-3-Clause
#include "dedicated_processor.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace ovlp::machine {

void served_jobs::start(job& j, double work_s, float demand, std::size_t* counter) {
  alike* jobs = &usual_;
  if (demand > 0) [[unlikely]] {
    auto place = std::ranges::lower_bound(demanding_, demand, {}, &alike::demand);
    if (place == demanding_.end() || place->demand != demand) place = demanding_.emplace(place, demand);
    jobs = &*place;
  }
  jobs->jobs.push_back({jobs->served_s + work_s, &j, counter});
  std::push_heap(jobs->jobs.begin(), jobs->jobs.end(), std::greater{});
  ++count_;
}

double served_jobs::alike::left_s() const {
  double const left = std::max(0.0, jobs.front().end - served_s);
  return left == 0 ? 0 : left / rate;
}

served_jobs::alike& served_jobs::first() {
  alike* found = usual_.jobs.empty() ? nullptr : &usual_;
  for (alike& jobs : demanding_) {
    if (found == nullptr || jobs.left_s() < found->left_s() ||
        (jobs.left_s() == found->left_s() && jobs.jobs.front().what->number() < found->jobs.front().what->number()))
      found = &jobs;
  }
  return *found;
}

double served_jobs::left_s() const {
  double left_s = usual_.jobs.empty() ? std::numeric_limits<double>::infinity() : usual_.left_s();
  for (alike const& jobs : demanding_) left_s = std::min(left_s, jobs.left_s());
  return left_s;
}

job& served_jobs::take_first() {
  alike& of = demanding_.empty() ? usual_ : first();
  running const taken = of.jobs.front();
  of.served_s = std::max(of.served_s, taken.end);  // rounding must not leave a rest
  std::pop_heap(of.jobs.begin(), of.jobs.end(), std::greater{});
  of.jobs.pop_back();
  --count_;
  if (of.jobs.empty()) {
    of.served_s = 0;
    if (&of != &usual_) demanding_.erase(demanding_.begin() + (&of - demanding_.data()));
  }
  if (taken.counter != nullptr) --*taken.counter;
  return *taken.what;
}

/// Max-min: who demands less than an equal share of what is left gets it all.
void served_jobs::share_what_is_demanded(double part) {
  double left = 1, jobs_left = 0;
  for (alike const& jobs : demanding_) jobs_left += static_cast<double>(jobs.jobs.size());
  for (alike& jobs : demanding_) {  // the least demands first
    double const asked = part * static_cast<double>(jobs.demand);
    double const got = std::min(asked, left / jobs_left);
    jobs.rate = asked > 0 ? got / asked : 1;
    auto const count = static_cast<double>(jobs.jobs.size());
    left -= got * count;
    jobs_left -= count;
  }
}

void dedicated_processor::start_at(double now_s, job& j, double work_s, float demand) {
  serve_until(now_s);
  if (speed_.next_change_s() <= now_s) [[unlikely]]  // while it was idle
    speed_.go_to(now_s);
  jobs_.start(j, work_s, demand);
  set_rate();
}

void dedicated_processor::serve_until(double now_s) {
  jobs_.serve(rate_ * (budget_ ? budget_->pass(at_s_, now_s, busy_) : now_s - at_s_));
  at_s_ = now_s;
}

void dedicated_processor::set_rate() {
  double const n = jobs_.count(), part = jobs_.empty() ? 0 : std::min(1.0, (cores_ - taken()) / n);
  rate_ = speed_.now() * part;
  jobs_.share(part);
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
