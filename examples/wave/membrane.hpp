// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>

// What is computed, without a word of how it is distributed.

/// The displacements of a row of cells; at its ends those of the membrane's left and right edge, which stay 0.
using Row = ovlp::buffer<double>;
using Rows = std::vector<Row>;

/// A membrane that is plucked along its middle row, and whose displacement there is measured after each of `steps` time
/// steps. Rows are numbered from 0.
struct Membrane {
  std::size_t rows = 0, columns = 0, steps = 0;

  std::size_t middle() const { return rows / 2; }
  std::size_t plucked_rows() const { return 1 + rows / 40; }  ///< on each side of the middle

  /// Whether a row of [first, last) has to be computed in this step. A wave crosses one row in a step at most: rows
  /// that it has not reached are at rest (outside the domain of influence of the plucked ones), and those from which it
  /// does not come back to the middle in time do not matter (outside the domain of dependence of what is measured). So
  /// work grows, then shrinks. Where and when follows from the step alone: a simulation that does not compute knows it.
  bool active(std::size_t first, std::size_t last, std::size_t step) const {
    std::size_t const nearest = std::clamp(middle(), first, last - 1);
    std::size_t const distance = std::max(nearest, middle()) - std::min(nearest, middle());
    return distance <= std::min(plucked_rows() + step, steps - step);
  }
};

/// The displacements at the start, when nothing moves: a ridge along the middle row.
/// Shape: `rows` begins with row `first`.
inline void pluck(Membrane const& membrane, std::size_t first, Rows& rows) {
  auto const number = [](std::size_t n) { return static_cast<double>(n); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double const across = std::abs(number(first + i) - number(membrane.middle())) / number(membrane.plucked_rows());
    std::span<double> const cells = rows[i].mutate();
    for (std::size_t j = 0; j < cells.size(); ++j) {
      double const along = number(j) / number(cells.size() - 1);
      cells[j] = 4 * along * (1 - along) * std::max(1 - across, 0.0);
    }
  }
}

/// The force of a string of tension 1 on a cell whose neighbour, at a distance of 1, is displaced by so much more.
inline double pull(double difference) { return difference / std::sqrt(1 + difference * difference); }

/// One time step. `next` has the displacements before `now`, and gets those after it; `above` and `below` are the rows
/// next to those of `now`.
/// Source: leapfrog for the wave equation with the five-point Laplacian, at the largest stable step,
///         (c dt / dx)^2 = 1/2. In place of differences stand the forces of strings: the same for small slopes.
inline void advance(Row const& above, Rows const& now, Row const& below, Rows& next) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::span<double const> const upper = (i == 0 ? above : now[i - 1]).view(), row = now[i].view();
    std::span<double const> const lower = (i + 1 == now.size() ? below : now[i + 1]).view();
    std::span<double> const moved = next[i].mutate();
    double from_left = pull(row[1] - row[0]);
    for (std::size_t j = 1; j + 1 < row.size(); ++j) {
      double const to_right = pull(row[j + 1] - row[j]);
      double const force = (pull(upper[j] - row[j]) + pull(lower[j] - row[j])) + (to_right - from_left);
      moved[j] = (2 * row[j] - moved[j]) + 0.5 * force;
      from_left = to_right;
    }
  }
}

/// A number that tells apart what is measured after a step. That of a run is the sum.
inline std::uint64_t measure(Row const& row, std::size_t step) {
  std::uint64_t hash = step;
  for (double cell : row) hash = std::rotl((hash ^ std::bit_cast<std::uint64_t>(cell)) * 0x9e3779b97f4a7c15u, 32);
  return hash;
}
