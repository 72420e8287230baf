// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/simkernel/interpolation.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ovlp::sim {
namespace {

using numbers = std::vector<double>;

/// Shares of what is left after rounding, of which nothing is meant to be left, are smaller.
constexpr double rounding = 1e-9;

numbers logarithms(std::span<std::int64_t const> sizes) {
  numbers all;
  for (std::int64_t size : sizes) all.push_back(std::log(static_cast<double>(size)));
  return all;
}

double product(numbers const& a, numbers const& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// What of it is orthogonal to these, which are so to one another, and of length 1. Empty: nothing.
numbers beside(std::vector<numbers> const& axes, numbers of) {
  double const before = product(of, of);
  for (int twice = 0; twice < 2; ++twice) {
    for (numbers const& axis : axes) {
      double const along = product(of, axis);
      for (std::size_t i = 0; i < of.size(); ++i) of[i] -= along * axis[i];
    }
  }
  return product(of, of) > rounding * rounding * before ? of : numbers{};
}

}  // namespace

measured_sizes::measured_sizes(std::vector<std::span<std::int64_t const>> const& all) {
  for (auto const& sizes : all) logarithms_.push_back(logarithms(sizes));
}

std::vector<weighted_point> measured_sizes::around(std::span<std::int64_t const> sizes) const {
  numbers const at = logarithms(sizes);
  if (at.size() == 1) return between_neighbours(at[0]);
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto const is_below = [&](numbers const& point) { return point[i] < at[i] - rounding; };
    auto const is_above = [&](numbers const& point) { return point[i] > at[i] + rounding; };
    if (std::ranges::all_of(logarithms_, is_below) || std::ranges::all_of(logarithms_, is_above)) return {};
  }
  return by_nearest(at);
}

/// With distances d: of all weights w that add up to 1 and have `at` as their mean, those of the least sum of (w d)^2.
std::vector<weighted_point> measured_sizes::by_nearest(numbers const& at) const {
  constexpr std::size_t most = 12;
  constexpr double most_noise = 2;                      // variance, where that of a measurement is 1
  std::vector<std::pair<double, std::size_t>> nearest;  // distances
  for (numbers const& point : logarithms_) {
    double square = 0;
    for (std::size_t i = 0; i < at.size(); ++i) square += (point[i] - at[i]) * (point[i] - at[i]);
    if (square == 0) return {{nearest.size(), 1}};
    nearest.emplace_back(std::sqrt(square), nearest.size());
  }
  std::size_t const taken = std::min(most, nearest.size());
  std::ranges::partial_sort(nearest, nearest.begin() + static_cast<std::ptrdiff_t>(taken));
  nearest.resize(taken);

  // In w d the mean is a condition for each size: orthogonal to its differences / d. So is what the sum leaves of 1 /
  // d.
  std::vector<numbers> axes;
  for (std::size_t i = 0; i < at.size(); ++i) {
    numbers axis;
    for (auto const& [distance, number] : nearest) axis.push_back((logarithms_[number][i] - at[i]) / distance);
    axis = beside(axes, std::move(axis));
    if (axis.empty()) continue;
    double const length = std::sqrt(product(axis, axis));
    for (double& value : axis) value /= length;
    axes.push_back(std::move(axis));
  }
  numbers weights;
  for (auto const& [distance, number] : nearest) weights.push_back(1 / distance);
  weights = beside(axes, std::move(weights));
  if (weights.empty()) return {};  // no such mean: all are on a line, and `at` beside it
  for (std::size_t i = 0; i < taken; ++i) weights[i] /= nearest[i].first;
  double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (product(weights, weights) > most_noise * sum * sum) return {};
  std::vector<weighted_point> found;
  for (std::size_t i = 0; i < taken; ++i) found.emplace_back(nearest[i].second, weights[i] / sum);
  return found;
}

std::vector<weighted_point> measured_sizes::between_neighbours(double logarithm) const {
  auto const after = std::ranges::upper_bound(logarithms_, logarithm, {}, [](auto const& point) { return point[0]; });
  if (after == logarithms_.begin() || after == logarithms_.end()) return {};
  auto const last = static_cast<std::size_t>(after - logarithms_.begin());
  double const part = (logarithm - logarithms_[last - 1][0]) / (logarithms_[last][0] - logarithms_[last - 1][0]);
  return {{last - 1, 1 - part}, {last, part}};
}

}  // namespace ovlp::sim
