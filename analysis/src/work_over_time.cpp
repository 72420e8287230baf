// SPDX-License-Identifier: BSD-3-Clause
#include "work_over_time.hpp"

#include <algorithm>
#include <cmath>

namespace ovlp::analysis {

void work_over_time::reach(double end_s) {
  if (width_s_ == 0) width_s_ = 2 * (end_s - origin_s_) / most_bins;
  while (end_s > origin_s_ + width_s_ * most_bins) {
    std::size_t const half = (work_s_.size() + 1) / 2;
    work_s_.resize(2 * half);
    for (std::size_t i = 0; i < half; ++i) work_s_[i] = work_s_[2 * i] + work_s_[2 * i + 1];
    work_s_.resize(half);
    width_s_ *= 2;
  }
  auto const bins = static_cast<std::size_t>(std::ceil((end_s - origin_s_) / width_s_));
  if (work_s_.size() < bins) work_s_.resize(std::min(bins, most_bins));
}

void work_over_time::add(double start_s, double end_s, double work_s) {
  if (work_s == 0) return;
  if (!begun_) origin_s_ = start_s;
  begun_ = true;
  // Steps come by their ends: one may begin before the first that came.
  start_s = std::max(start_s, origin_s_);
  if (end_s > origin_s_) reach(end_s);
  if (work_s_.empty()) work_s_.resize(1);
  auto const bin = [&](double at_s) {
    double const place = width_s_ > 0 ? (at_s - origin_s_) / width_s_ : 0;
    return std::min(static_cast<std::size_t>(std::max(0.0, place)), work_s_.size() - 1);
  };
  std::size_t const first = bin(start_s), last = bin(end_s);
  if (first == last) {
    work_s_[first] += work_s;
    return;
  }
  double const rate = work_s / (end_s - start_s);
  auto const begin_of = [&](std::size_t i) { return origin_s_ + static_cast<double>(i) * width_s_; };
  work_s_[first] += rate * (begin_of(first + 1) - start_s);
  for (std::size_t i = first + 1; i < last; ++i) work_s_[i] += rate * width_s_;
  work_s_[last] += rate * (end_s - begin_of(last));
}

double work_over_time::between(double from_s, double to_s) const {
  auto const until = [&](double at_s) {
    double const place = width_s_ > 0 ? std::max(0.0, (at_s - origin_s_) / width_s_) : 0;
    auto const whole = std::min(static_cast<std::size_t>(place), work_s_.size());
    double sum = 0;
    for (std::size_t i = 0; i < whole; ++i) sum += work_s_[i];
    if (whole < work_s_.size()) sum += work_s_[whole] * (place - static_cast<double>(whole));
    return sum;
  };
  return until(to_s) - until(from_s);
}

}  // namespace ovlp::analysis
