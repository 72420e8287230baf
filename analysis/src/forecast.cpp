// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/forecast.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp::analysis {

void forecast::add(std::size_t nodes, std::vector<iteration_forecast> of_iterations) {
  if (of_iterations.empty()) throw config_error("expected a program with iterations: its operations set none");
  if (!by_nodes_.empty() && of_iterations.size() != iterations()) {
    throw config_error("expected as many iterations on " + std::to_string(nodes) + " nodes as on " +
                       std::to_string(nodes_.back()) + ", got " + std::to_string(of_iterations.size()) + " and " +
                       std::to_string(iterations()));
  }
  nodes_.push_back(nodes);
  by_nodes_.push_back(std::move(of_iterations));
}

namespace {

/// Numbers of nodes, as places in nodes(), with which iteration k is efficient enough; of several none, the best.
std::vector<bool> allowed(forecast const& expected, std::size_t k, double least_efficiency) {
  std::vector<bool> may(expected.nodes().size());
  std::size_t best = 0;
  auto const efficiency = [&](std::size_t i) { return expected.of(i, k).efficiency.value_or(1); };
  for (std::size_t i = 0; i < may.size(); ++i) {
    may[i] = efficiency(i) >= least_efficiency;
    if (efficiency(i) > efficiency(best)) best = i;
  }
  may[best] = true;
  return may;
}

}  // namespace

std::vector<std::size_t> best_allocation(forecast const& expected, weights const& of, double change_s,
                                         double least_efficiency, std::size_t first, std::optional<std::size_t> held) {
  std::vector<std::size_t> const& nodes = expected.nodes();
  std::size_t const last = expected.iterations();
  constexpr double never = std::numeric_limits<double>::infinity();
  auto const price = [&](double time_s, std::size_t n) {
    return time_s * (of.of_time + of.of_node_s * static_cast<double>(n));
  };
  // While a change is made, both those that leave and those that come are held.
  auto const change = [&](std::size_t from, std::size_t to) {
    return from == to ? 0.0 : price(change_s, std::max(from, to));
  };

  std::vector<double> least(nodes.size(), 0);  // cost of what follows an iteration, by what that held
  std::vector<std::vector<std::size_t>> next(last + 1, std::vector<std::size_t>(nodes.size()));
  for (std::size_t k = last; k >= first && k > 0; --k) {
    std::vector<bool> const may = allowed(expected, k, least_efficiency);
    std::vector<double> const after = std::exchange(least, std::vector<double>(nodes.size(), never));
    for (std::size_t before = 0; before < nodes.size(); ++before) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!may[i]) continue;
        double const cost = change(nodes[before], nodes[i]) + price(expected.of(i, k).time_s, nodes[i]) + after[i];
        if (cost >= least[before]) continue;
        least[before] = cost;
        next[k][before] = i;
      }
    }
  }

  auto at = static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
  if (held) at = static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), *held) - nodes.begin());
  at = std::min(at, nodes.size() - 1);
  std::vector<std::size_t> chosen;
  for (std::size_t k = first; k <= last; ++k) {
    at = next[k][at];
    chosen.push_back(nodes[at]);
  }
  return chosen;
}

}  // namespace ovlp::analysis
