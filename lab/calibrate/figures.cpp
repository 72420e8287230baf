// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ovlp/base/statistics.hpp>

namespace ovlp::lab::calibrate {

double figures::middle(std::string const& figure) const { return base::median(values_.at(figure)); }

double figures::least(std::string const& figure) const { return *std::ranges::min_element(values_.at(figure)); }

void figures::add(base::json_object earlier) {
  for (std::string const& figure : earlier.keys()) {
    if (!earlier.at(figure).is_object()) continue;  // idle_nodes
    std::vector<double> const found = earlier.object(figure).numbers("values", std::numeric_limits<double>::lowest());
    auto& values = values_[figure];
    values.insert(values.begin(), found.begin(), found.end());
  }
}

nlohmann::ordered_json figures::json() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (auto const& [figure, values] : values_) {
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    double const value = base::median(values);
    all[figure] = {
        {"median", value}, {"spread", value == 0 ? 0 : (*high - *low) / std::abs(value)}, {"values", values}};
  }
  return all;
}

}  // namespace ovlp::lab::calibrate
