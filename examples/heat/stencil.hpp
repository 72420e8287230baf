// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>

// What is computed, without a word of how it is distributed.

/// One row of cells; at its ends a cell of the plate's left and right edge.
using Row = ovlp::buffer<double>;
/// Rows one below the other. The first and the last are only read: an edge of the plate, or a row of somebody else.
using Rows = std::vector<Row>;

/// The plate at the start: its upper edge at 100 degrees, its left edge falling with 1 / (1 + row), all else at 0.
/// Shape: `rows` begins with row `first` of the plate, whose upper edge is row 0.
inline void fill(Rows& rows, std::size_t first) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t const row = first + i;
    std::span<double> const cells = rows[i].mutate();
    std::fill(cells.begin(), cells.end(), row == 0 ? 100.0 : 0.0);
    cells.front() = 100.0 / static_cast<double>(1 + row);
  }
}

/// One Jacobi sweep: each cell of `to` becomes the mean of its four neighbours in `from`.
/// Returns the largest change of a cell.
/// Source: Jacobi's iteration for the five-point difference scheme of Laplace's equation.
inline double sweep(Rows const& from, Rows& to) {
  double change = 0;
  for (std::size_t i = 1; i + 1 < from.size(); ++i) {
    std::span<double const> const above = from[i - 1].view(), row = from[i].view(), below = from[i + 1].view();
    std::span<double> const swept = to[i].mutate();
    for (std::size_t j = 1; j + 1 < row.size(); ++j) {
      swept[j] = 0.25 * ((above[j] + below[j]) + (row[j - 1] + row[j + 1]));
      change = std::max(change, std::abs(swept[j] - row[j]));
    }
  }
  return change;
}

/// A number that tells fields apart that differ in any bit. That of a plate is the sum of those of its strips.
/// Shape: of `rows` all but the first and the last count; `first` as in fill().
inline std::uint64_t checksum(Rows const& rows, std::size_t first) {
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    std::uint64_t hash = first + i;
    for (double cell : rows[i]) hash = std::rotl((hash ^ std::bit_cast<std::uint64_t>(cell)) * 0x9e3779b97f4a7c15u, 32);
    sum += hash;
  }
  return sum;
}
