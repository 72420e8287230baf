// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
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

/// The s of y = c (1 + s (x / x0 - 1)), with a constant c of its own for each group: by how much of itself y grows when
/// x grows by all of itself. Least squares of y over the group's mean. 0 if nothing tells, for x never differs within a
/// group.
inline double fitted_growth(std::vector<xy_values> const& groups, double x0) {
  double xx = 0, xy = 0, sum_x = 0, count = 0;
  for (xy_values const& group : groups) {
    double mean_x = 0, mean_y = 0;
    for (auto const& [x, y] : group) {
      mean_x += x / static_cast<double>(group.size());
      mean_y += y / static_cast<double>(group.size());
    }
    for (auto const& [x, y] : group) {
      xx += (x / mean_x - 1) * (x / mean_x - 1);
      xy += (x / mean_x - 1) * (y / mean_y - 1);
      sum_x += x;
      count += 1;
    }
  }
  if (xx == 0) return 0;
  double const at_mean = xy / xx;  // of the line through the means; at x0 there is less, or more, to grow
  double const to_x0 = x0 * count / sum_x;
  return at_mean * to_x0 / (1 + at_mean * (to_x0 - 1));
}

}  // namespace ovlp::tools
