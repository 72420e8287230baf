// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/work_over_time.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ovlp {
namespace {

void double_width(work_over_time& all) {
  std::vector<double>& bins_s = all.bins_s;
  std::size_t const half = (bins_s.size() + 1) / 2;
  bins_s.resize(2 * half);
  for (std::size_t i = 0; i < half; ++i) bins_s[i] = bins_s[2 * i] + bins_s[2 * i + 1];
  bins_s.resize(half);
  all.width_s *= 2;
}

void reach(work_over_time& all, double end_s) {
  auto const most = static_cast<double>(all.most_bins);
  if (all.width_s == 0) all.width_s = 2 * (end_s - all.origin_s) / most;
  while (end_s > all.origin_s + all.width_s * most) double_width(all);
  auto const bins = static_cast<std::size_t>(std::ceil((end_s - all.origin_s) / all.width_s));
  if (all.bins_s.size() < bins) all.bins_s.resize(std::min<std::size_t>(bins, all.most_bins));
}

/// Steps come by their ends: one may begin before the first that came.
void reach_back(work_over_time& all, double start_s) {
  if (all.width_s == 0) {
    all.origin_s = start_s;
    return;
  }
  auto const before = [&] { return std::ceil((all.origin_s - start_s) / all.width_s); };
  while (before() + static_cast<double>(all.bins_s.size()) > static_cast<double>(all.most_bins)) double_width(all);
  all.bins_s.insert(all.bins_s.begin(), static_cast<std::size_t>(before()), 0.0);
  all.origin_s -= before() * all.width_s;
}

}  // namespace

void work_over_time::add(double start_s, double end_s, double work_s) {
  if (work_s == 0) return;
  if (bins_s.empty()) {
    origin_s = start_s;
    bins_s.resize(1);
  }
  if (start_s < origin_s) reach_back(*this, start_s);
  if (end_s > origin_s) reach(*this, end_s);
  auto const bin = [&](double at_s) {
    double const place = width_s > 0 ? (at_s - origin_s) / width_s : 0;
    return std::min(static_cast<std::size_t>(std::max(0.0, place)), bins_s.size() - 1);
  };
  std::size_t const first = bin(start_s), last = bin(end_s);
  if (first == last) {
    bins_s[first] += work_s;
    return;
  }
  double const rate = work_s / (end_s - start_s);
  auto const begin_of = [&](std::size_t i) { return origin_s + static_cast<double>(i) * width_s; };
  bins_s[first] += rate * (begin_of(first + 1) - start_s);
  for (std::size_t i = first + 1; i < last; ++i) bins_s[i] += rate * width_s;
  bins_s[last] += rate * (end_s - begin_of(last));
}

void work_over_time::add(work_over_time const& other) {
  if (other.bins_s.empty()) return;
  if (!bins_s.empty() && other.origin_s < origin_s) {  // else what is before the origin would be put there
    work_over_time both = other;
    both.add(*this);
    *this = both;
    return;
  }
  for (std::size_t i = 0; i < other.bins_s.size(); ++i) {
    double const start_s = other.origin_s + static_cast<double>(i) * other.width_s;
    add(start_s, start_s + other.width_s, other.bins_s[i]);
  }
}

double work_over_time::between(double from_s, double to_s) const {
  auto const until = [&](double at_s) {
    double const place =
        width_s > 0 ? std::clamp((at_s - origin_s) / width_s, 0.0, static_cast<double>(bins_s.size())) : 0;
    auto const whole = static_cast<std::size_t>(place);
    double sum = 0;
    for (std::size_t i = 0; i < whole; ++i) sum += bins_s[i];
    if (whole < bins_s.size()) sum += bins_s[whole] * (place - static_cast<double>(whole));
    return sum;
  };
  return until(to_s) - until(from_s);
}

}  // namespace ovlp
