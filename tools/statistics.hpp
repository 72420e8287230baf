// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace ovlp::tools {

/// The middle value, or the mean of both; of at least one.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

using xy_values = std::vector<std::pair<double, double>>;

/// How y grows with x: y = c (1 + growth (x / x0 - 1)), with a constant c of its own for each group of values.
struct growth_fit {
  double growth = 0;       ///< 0 if nothing tells, for x never differs within a group
  double correlation = 0;  ///< of x and y, each over its group's mean
  std::size_t count = 0;   ///< of values
  double x0 = 0;
  double least_x = 0, most_x = 0;  ///< of the values

  /// y at x over y at x0. What lies beyond the values is not guessed: there it is as at the last of them.
  double factor(double x) const {
    constexpr double least = 0.2;  // the line ends somewhere
    return growth == 0 ? 1 : std::max(least, 1 + growth * (std::clamp(x, least_x, most_x) / x0 - 1));
  }
};

/// Least squares of y over its group's mean; x0 above 0.
inline growth_fit fitted_growth(std::vector<xy_values> const& groups, double x0) {
  growth_fit fit;
  fit.x0 = x0;
  fit.least_x = std::numeric_limits<double>::infinity();
  double xx = 0, xy = 0, yy = 0, sum_x = 0;
  for (xy_values const& group : groups) {
    double mean_x = 0, mean_y = 0;
    for (auto const& [x, y] : group) {
      mean_x += x / static_cast<double>(group.size());
      mean_y += y / static_cast<double>(group.size());
    }
    if (mean_x == 0 || mean_y == 0) continue;
    for (auto const& [x, y] : group) {
      xx += (x / mean_x - 1) * (x / mean_x - 1);
      xy += (x / mean_x - 1) * (y / mean_y - 1);
      yy += (y / mean_y - 1) * (y / mean_y - 1);
      sum_x += x;
      fit.least_x = std::min(fit.least_x, x);
      fit.most_x = std::max(fit.most_x, x);
    }
    fit.count += group.size();
  }
  if (xx == 0 || yy == 0) return fit;
  double const at_mean = xy / xx;  // of the line through the means; at x0 there is less, or more, to grow
  double const to_x0 = x0 * static_cast<double>(fit.count) / sum_x;
  fit.growth = at_mean * to_x0 / (1 + at_mean * (to_x0 - 1));
  fit.correlation = xy / std::sqrt(xx * yy);
  return fit;
}

}  // namespace ovlp::tools
