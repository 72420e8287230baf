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

/// Writes `sizes` as a mean of measured sizes, in logarithms: as many of them as there are sizes, and one more, at
/// most; those that are nearest (the corners of their Delaunay simplex). Empty if the sizes are not between measured
/// ones, that is within their convex hull. All sizes must be above 0, and each list as long as `sizes`.
///
/// The mean of logarithms of durations, so weighted, is exact where a duration is a product of powers of the sizes;
/// between two sizes on a line it is monotone; it never leaves the range of the durations that it is made of.
/// Source: the lifting map of K. Q. Brown, "Voronoi diagrams from convex hulls", 1979, as a linear program.
std::vector<weighted_point> between(std::vector<std::span<std::int64_t const>> const& measured,
                                    std::span<std::int64_t const> sizes);

}  // namespace ovlp::sim
