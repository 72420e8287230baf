// SPDX-License-Identifier: BSD-3-Clause
#include "workload/forecast.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp::cluster {

forecast::forecast(std::vector<node_count> nodes, std::vector<std::vector<double>> time_s, std::uint32_t iterations,
                   double change_s)
    : nodes_(std::move(nodes)),
      iterations_(iterations),
      change_s_(change_s),
      equal_(!time_s.empty() && time_s.front().size() == 1) {
  if (nodes_.empty() || nodes_.front() == 0 || !std::ranges::is_sorted(nodes_, std::ranges::less_equal{}))
    throw config_error("a forecast expects ascending numbers of nodes, from 1");
  if (iterations_ == 0) throw config_error("a forecast expects iterations, got none");
  if (time_s.size() != nodes_.size())
    throw config_error("a forecast expects times for each of " + std::to_string(nodes_.size()) +
                       " numbers of nodes, got " + std::to_string(time_s.size()));
  for (auto const& row : time_s) {
    if (row.size() != (equal_ ? 1 : iterations_))
      throw config_error("a forecast expects as many times for each number of nodes as it has iterations, or one");
    if (!std::ranges::all_of(row, [](double one_s) { return one_s >= 0; }))
      throw config_error("a forecast expects times of 0 or more");
    if (equal_) {
      sums_s_.push_back(row.front());
      continue;
    }
    double sum_s = 0;
    sums_s_.push_back(0);
    for (double const one_s : row) sums_s_.push_back(sum_s += one_s);
  }
}

forecast forecast::rigid(node_count nodes, double time_s) { return {{nodes}, {{time_s}}, 1, 0}; }

std::optional<std::size_t> forecast::place_of(node_count nodes) const {
  auto const found = std::lower_bound(nodes_.begin(), nodes_.end(), nodes);
  if (found == nodes_.end() || *found != nodes) return {};
  return static_cast<std::size_t>(found - nodes_.begin());
}

double forecast::efficiency(std::size_t i, std::uint32_t k) const {
  double const held_node_s = nodes_[i] * time_s(i, k);
  return held_node_s > 0 ? nodes_.front() * time_s(0, k) / held_node_s : 1;
}

}  // namespace ovlp::cluster
