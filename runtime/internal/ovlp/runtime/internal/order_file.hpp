// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp {

// docs/formats/order.md. Each process of a run writes what came to its DPS threads, those of nodes beyond the first
// to FILE.nodeN.

/// What comes to a DPS thread, as long as it lives on a node.
struct deliveries {
  std::string thread;  ///< "workers[2]"
  node_id node;
  std::vector<std::uint64_t> comes;  ///< names
};

/// Of which run a part is: all processes of a run agree on it.
struct order_of_run {
  std::string program;
  std::size_t nodes;
  double start_s;  ///< by the clock of node 0
};
/// Of all nodes. Errors: config_error for what is none, or belongs to another program, or to as many nodes; and for
/// parts of different runs.
std::vector<deliveries> read_order(std::string const& file, std::string const& program, std::size_t nodes);
/// Errors: io_error.
void write_order(std::string const& file, order_of_run const& run, node_id node, std::vector<deliveries> const& all);
/// Before a run that writes them: those that an earlier one has left.
void remove_orders_of_others(std::string const& file, std::size_t nodes);

}  // namespace ovlp
