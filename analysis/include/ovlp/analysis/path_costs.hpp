// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/analysis/critical_path.hpp>

namespace ovlp::analysis {

struct path_cost {
  std::string name;
  double seconds;
};

/// What a critical path is spent with, in several ways; of each the dearest first.
struct path_costs {
  std::vector<path_cost> activities;
  std::vector<path_cost> operations;  ///< of steps: "GRAPH: OPERATION"
  std::vector<path_cost> kernels;     ///< in its steps
  std::vector<path_cost> edges;       ///< of messages: "GRAPH: OPERATION >> OPERATION"
  std::vector<path_cost> nodes;       ///< of steps
  std::vector<path_cost> links;       ///< of messages: "node0 >> node1"
};

path_costs costs_of(critical_path const& path, run_definitions const& names);

}  // namespace ovlp::analysis
