// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ovlp::net {

/// What joins what in a network, to be drawn.
struct topology {
  struct link_cost {
    double bandwidth_Bps = 0;
    double latency_s = 0;
    bool operator==(link_cost const&) const = default;
  };
  struct vertex {
    std::string name;                 ///< empty: a switch that nobody names
    bool is_node = false;             ///< of the run
    std::optional<link_cost> cost{};  ///< of a link that is a place of its own, as a bus
  };
  struct connection {
    std::size_t from, to;           ///< vertices
    std::optional<link_cost> cost;  ///< none: that of the place at one of its ends
    bool both_ways;
    std::size_t parallel = 1;  ///< so many alike
  };
  std::vector<vertex> vertices;  ///< node 0, node 1, ..., then others
  std::vector<connection> connections;
};

}  // namespace ovlp::net
