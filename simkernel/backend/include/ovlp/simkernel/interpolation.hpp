// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ovlp::sim {

/// One of the measured points, and its part in a value between them.
using weighted_point = std::pair<std::size_t, double>;

/// Sizes at which a kernel was measured, all above 0, in ascending order.
///
/// Source: the lifting map of K. Q. Brown, "Voronoi diagrams from convex hulls", 1979, as a linear program.
class measured_sizes {
 public:
  explicit measured_sizes(std::vector<std::span<std::int64_t const>> const& all);

  /// Writes `sizes` as a mean of measured sizes, in logarithms: as many of them as there are sizes, and one more, at
  /// most; those that are nearest around (the corners of a Delaunay simplex). Empty if the sizes, all above 0 and as
  /// many, are not between measured ones: within their convex hull.
  ///
  /// The mean of logarithms of durations, so weighted, is exact where a duration is a product of powers of the sizes;
  /// between two sizes on a line it is monotone; it never leaves the range of the durations that it is made of.
  std::vector<weighted_point> around(std::span<std::int64_t const> sizes) const;

 private:
  std::vector<weighted_point> between_neighbours(double logarithm) const;

  std::vector<std::vector<double>> logarithms_;
};

}  // namespace ovlp::sim
