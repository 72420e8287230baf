// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/simkernel/interpolation.hpp>

#include <algorithm>
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

std::vector<double> logarithms(std::span<std::int64_t const> sizes) {
  std::vector<double> all;
  for (std::int64_t size : sizes) all.push_back(std::log(static_cast<double>(size)));
  return all;
}

/// By the points of these numbers.
std::vector<weighted_point> corners_around(std::vector<double> const& at,
                                           std::vector<std::vector<double>> const& points,
                                           std::vector<double> const& squares,
                                           std::vector<std::size_t> const& numbers) {
  std::vector<std::vector<double>> columns;
  std::vector<double> costs;  // squares of distances: their mean is least for the corners of the Delaunay simplex
  for (std::size_t number : numbers) {
    std::vector<double> column = points[number];
    for (std::size_t i = 0; i < at.size(); ++i) column[i] -= at[i];
    column.push_back(1);
    columns.push_back(std::move(column));
    costs.push_back(squares[number]);
  }
  std::vector<double> mean(at.size() + 1, 0.0);  // no distance; and weights that add up to 1
  mean.back() = 1;
  simplex program(columns, mean);
  if (!program.minimize(costs)) return {};
  std::vector<weighted_point> corners = program.above_zero();
  for (weighted_point& corner : corners) corner.first = numbers[corner.first];
  return corners;
}

}  // namespace

measured_sizes::measured_sizes(std::vector<std::span<std::int64_t const>> const& all) {
  for (auto const& sizes : all) logarithms_.push_back(logarithms(sizes));
}

std::vector<weighted_point> measured_sizes::around(std::span<std::int64_t const> sizes) const {
  constexpr std::size_t near = 500;  // among more points those far away are looked at only if they must be
  std::vector<double> const at = logarithms(sizes);
  if (at.size() == 1) return between_neighbours(at[0]);
  std::vector<double> squares;
  std::vector<std::size_t> numbers;
  for (std::vector<double> const& point : logarithms_) {
    double square = 0;
    for (std::size_t i = 0; i < at.size(); ++i) square += (point[i] - at[i]) * (point[i] - at[i]);
    numbers.push_back(squares.size());
    squares.push_back(square);
  }
  if (numbers.size() > near) {
    std::vector<std::size_t> nearest = numbers;
    auto const end = nearest.begin() + near;
    std::ranges::nth_element(nearest, end, {}, [&](std::size_t number) { return std::pair(squares[number], number); });
    nearest.erase(end, nearest.end());
    if (auto corners = corners_around(at, logarithms_, squares, nearest); !corners.empty()) return corners;
  }
  return corners_around(at, logarithms_, squares, numbers);
}

std::vector<weighted_point> measured_sizes::between_neighbours(double logarithm) const {
  auto const after = std::ranges::upper_bound(logarithms_, logarithm, {}, [](auto const& point) { return point[0]; });
  if (after == logarithms_.begin() || after == logarithms_.end()) return {};
  auto const last = static_cast<std::size_t>(after - logarithms_.begin());
  double const part = (logarithm - logarithms_[last - 1][0]) / (logarithms_[last][0] - logarithms_[last - 1][0]);
  return {{last - 1, 1 - part}, {last, part}};
}

}  // namespace ovlp::sim
