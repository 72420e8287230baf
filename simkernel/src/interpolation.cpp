// SPDX-License-Identifier: BSD-3-Clause
#include "interpolation.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace ovlp::sim {
namespace {

/// Logarithms of sizes that are equal in truth differ by less, and neighbouring sizes up to 10^8 by more.
constexpr double rounding = 1e-9;

/// Minimizes cost * x, where a * x = b and x >= 0: the simplex method in two phases, on a dense tableau. What the rows
/// lack at first stands for columns of its own, which are not stored, for they never come back.
class simplex {
 public:
  /// `columns`: each with one number a row, and its cost.
  simplex(std::vector<std::vector<double>> const& columns, std::vector<double> const& b)
      : columns_(columns.size()), rows_(b.size() + 1, std::vector<double>(columns_ + 1)), basis_(b.size()) {
    for (std::size_t r = 0; r < b.size(); ++r) {
      for (std::size_t c = 0; c < columns_; ++c) rows_[r][c] = columns[c][r];
      rows_[r].back() = b[r];
      basis_[r] = columns_ + r;
      for (std::size_t c = 0; c <= columns_; ++c) rows_.back()[c] -= rows_[r][c];
    }
  }

  /// False if no x is good.
  bool minimize(std::vector<double> const& cost) {
    descend();
    if (rows_.back().back() < -rounding) return false;
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      for (std::size_t c = 0; c < columns_ && is_lacking(r); ++c) {
        if (std::abs(rows_[r][c]) > rounding) pivot(r, c);
      }
    }
    std::vector<double>& costs = rows_.back();
    for (std::size_t c = 0; c <= columns_; ++c) {
      costs[c] = c < columns_ ? cost[c] : 0;
      for (std::size_t r = 0; r < basis_.size(); ++r) {
        if (!is_lacking(r)) costs[c] -= cost[basis_[r]] * rows_[r][c];
      }
    }
    descend();
    return true;
  }
  std::vector<weighted_point> above_zero() const {
    std::vector<weighted_point> found;
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      if (!is_lacking(r) && rows_[r].back() > rounding) found.emplace_back(basis_[r], rows_[r].back());
    }
    return found;
  }

 private:
  bool is_lacking(std::size_t row) const { return basis_[row] >= columns_; }

  void descend() {
    // The steepest column first; after many steps the first one, which cannot go round in circles (Bland 1977).
    std::size_t const many = 100 * basis_.size();
    for (std::size_t step = 0;; ++step) {
      auto const column = entering(step > many);
      if (!column) return;
      auto const row = leaving(*column);
      if (!row) return;
      pivot(*row, *column);
    }
  }
  std::optional<std::size_t> entering(bool first) const {
    std::optional<std::size_t> found;
    double least = -rounding;
    for (std::size_t c = 0; c < columns_; ++c) {
      if (rows_.back()[c] >= least) continue;
      found = c;
      if (first) break;
      least = rows_.back()[c];
    }
    return found;
  }
  std::optional<std::size_t> leaving(std::size_t column) const {
    std::optional<std::size_t> found;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      if (rows_[r][column] <= rounding) continue;
      double const ratio = rows_[r].back() / rows_[r][column];
      if (ratio > least || (ratio == least && basis_[r] > basis_[*found])) continue;
      found = r;
      least = ratio;
    }
    return found;
  }
  void pivot(std::size_t row, std::size_t column) {
    double const by = rows_[row][column];
    for (double& value : rows_[row]) value /= by;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      double const times = rows_[r][column];
      if (r == row || times == 0) continue;
      for (std::size_t c = 0; c <= columns_; ++c) rows_[r][c] -= times * rows_[row][c];
    }
    basis_[row] = column;
  }

  std::size_t const columns_;
  std::vector<std::vector<double>> rows_;  // the last one: what a unit of each column would add to the cost
  std::vector<std::size_t> basis_;         // of each row
};

}  // namespace

std::vector<weighted_point> between(std::vector<std::span<std::int64_t const>> const& measured,
                                    std::span<std::int64_t const> sizes) {
  std::vector<std::vector<double>> points;
  std::vector<double> squares;  // of distances: their weighted sum is least for the corners of the Delaunay simplex
  for (auto const& point : measured) {
    std::vector<double> column;
    double square = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      column.push_back(std::log(static_cast<double>(point[i]) / static_cast<double>(sizes[i])));
      square += column.back() * column.back();
    }
    column.push_back(1);
    points.push_back(std::move(column));
    squares.push_back(square);
  }
  std::vector<double> mean(sizes.size() + 1, 0.0);  // no distance; and weights that add up to 1
  mean.back() = 1;
  simplex program(points, mean);
  return program.minimize(squares) ? program.above_zero() : std::vector<weighted_point>();
}

}  // namespace ovlp::sim
