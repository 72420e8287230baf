// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ovlp::analysis {

/// What an iteration is expected to take with so many nodes held, of its interval: docs/dynamic-efficiency.md.
struct iteration_forecast {
  double time_s = 0;
  std::optional<double> efficiency = {};  ///< none of an empty interval
};

/// What each iteration is expected to take with each number of nodes: from simulated runs that hold so many from their
/// start to their end. A value.
class forecast {
 public:
  /// Of a run that held `nodes` all the time. Numbers of nodes come in ascending order. Errors: config_error for
  /// another number of iterations than that of the runs before, or none.
  void add(std::size_t nodes, std::vector<iteration_forecast> of_iterations);

  std::size_t iterations() const { return by_nodes_.empty() ? 0 : by_nodes_.front().size(); }
  /// Numbers of nodes that it knows.
  std::vector<std::size_t> const& nodes() const { return nodes_; }
  /// Of iteration k from 1, with nodes()[i].
  iteration_forecast const& of(std::size_t i, std::size_t k) const { return by_nodes_[i][k - 1]; }

 private:
  std::vector<std::size_t> nodes_;
  std::vector<std::vector<iteration_forecast>> by_nodes_;
};

/// What is to be small: seconds of time and of held nodes, each with a weight.
struct weights {
  double of_time = 1;
  double of_node_s = 0;
};
/// How many nodes each iteration from `first` on is to hold, so that the weighted sum is least, if an iteration takes
/// as long as in the forecast whatever the iterations before held, and each change takes `change_s` more. Iterations
/// whose efficiency would be below `least_efficiency` with all numbers of nodes get the one with the best.
/// `held`: what iteration `first` - 1 held; none: the first change is free.
/// Method: dynamic programming over iterations and numbers of nodes. Cost: iterations x numbers of nodes, squared.
std::vector<std::size_t> best_allocation(forecast const& expected, weights const& of, double change_s,
                                         double least_efficiency, std::size_t first = 1,
                                         std::optional<std::size_t> held = {});

}  // namespace ovlp::analysis
