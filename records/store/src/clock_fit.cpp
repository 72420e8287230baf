// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/clock_fit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ovlp::store {
namespace {

constexpr double most_drift = 1e-4;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Those that a line below all of them can touch: the lower convex hull.
std::vector<clock_bound> lower_hull(std::vector<clock_bound> all) {
  std::ranges::sort(all, [](clock_bound const& a, clock_bound const& b) {
    return a.at_s != b.at_s ? a.at_s < b.at_s : a.correction_s < b.correction_s;
  });
  std::vector<clock_bound> hull;
  for (clock_bound const& next : all) {
    auto const is_above = [&] {
      clock_bound const &a = hull[hull.size() - 2], &b = hull.back();
      return (b.correction_s - a.correction_s) * (next.at_s - a.at_s) >=
             (next.correction_s - a.correction_s) * (b.at_s - a.at_s);
    };
    while (hull.size() >= 2 && is_above()) hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

}  // namespace

clock_correction fit_clock(std::vector<clock_bound> at_least, std::vector<clock_bound> at_most) {
  if (at_least.empty() && at_most.empty()) return {0, 0, infinity};
  for (clock_bound& b : at_least) b.correction_s = -b.correction_s;
  std::vector<clock_bound> const lower = lower_hull(std::move(at_least)), upper = lower_hull(std::move(at_most));
  // Where a line of this drift may begin.
  auto const highest = [&](double drift) {
    double most = infinity;
    for (clock_bound const& b : upper) most = std::min(most, b.correction_s - drift * b.at_s);
    return most;
  };
  auto const lowest = [&](double drift) {
    double least = -infinity;
    for (clock_bound const& b : lower) least = std::max(least, -b.correction_s - drift * b.at_s);
    return least;
  };
  if (lower.empty()) return {highest(0), 0, infinity};
  if (upper.empty()) return {lowest(0), 0, infinity};
  auto const room = [&](double drift) { return highest(drift) - lowest(drift); };
  double low = -most_drift, high = most_drift;
  for (int i = 0; i < 200; ++i) {  // the room is a concave function of the drift
    double const a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (room(a) < room(b)) {
      low = a;
    } else {
      high = b;
    }
  }
  double const drift = (low + high) / 2;
  return {(highest(drift) + lowest(drift)) / 2, drift, room(drift) / 2};
}

}  // namespace ovlp::store
