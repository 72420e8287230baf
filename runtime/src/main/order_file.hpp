// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

#include "steps/delivery_order.hpp"

namespace ovlp::OVLP_INLINE_CORE {

// docs/formats/order.md. Each process of a run writes what came to its DPS threads, those of nodes beyond the first
// to FILE.nodeN.

/// Of which run a part is: all processes of a run agree on it.
struct order_of_run {
  std::string program;
  std::size_t nodes;
  double start_s;  ///< by the clock of node 0
};
/// Of all nodes. Errors: config_error for what is none, or belongs to another program, or to as many nodes; and for
/// parts of different runs.
std::vector<delivery_orders::list> read_order(std::string const& file, std::string const& program, std::size_t nodes);
/// Errors: io_error.
void write_order(std::string const& file, order_of_run const& run, node_id node,
                 std::vector<delivery_orders::list> const& all);
/// Before a run that writes them: those that an earlier one has left.
void remove_orders_of_others(std::string const& file, std::size_t nodes);

}  // namespace ovlp::OVLP_INLINE_CORE
