// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ovlp::base {

double mean(std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::vector<double> const& values) {
  double const middle = mean(values);
  double squares = 0;
  for (double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double root_mean_square(std::vector<double> const& values) {
  double const squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  double const place = fraction * static_cast<double>(values.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  std::size_t const above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::optional<double> conformal_quantile(std::vector<double> values, double probability) {
  auto const k = static_cast<std::size_t>(std::ceil(probability * static_cast<double>(values.size() + 1)));
  if (k > values.size()) return std::nullopt;
  auto const at = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace ovlp::base
