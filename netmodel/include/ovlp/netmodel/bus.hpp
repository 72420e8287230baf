// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

namespace ovlp::net {

/// How many messages may cross at once; 0: any number.
struct bus_limits {
  std::size_t buses = 0;         ///< in the whole network
  std::size_t output_links = 1;  ///< out of each node
  std::size_t input_links = 1;   ///< into each node
};

/// Messages that take turns: after its latency a transfer takes an output link of its source, an input link of its
/// destination and a bus, all three at once, holds them for bytes / bandwidth, and gives them back. Links and buses are
/// never shared. The bandwidth is the smaller one of the two links, the latency that of the network and of both.
///
/// Those that wait are served first in, first out: whenever something is given back or a latency ends, the oldest
/// waiting transfer that finds all three free takes them, and so on. One whose links are taken holds back no younger
/// one. Without limits this is latency + bytes / bandwidth, with no contention.
///
/// Cost: O(log n) for a transfer that need not wait, n of them at once; one that waits also O(w), w = those that wait
/// at its source or destination before it. Source: the model of Dimemas: Girona, Labarta, Badia, Validation of Dimemas
/// communication model for MPI collective operations (EuroPVM/MPI 2000), whose messages wait in the same way; here a
/// latency takes no processor.
/// Errors: std::logic_error for links or a latency that are not as said.
std::unique_ptr<network> make_bus(std::vector<node_link> const& nodes, double latency_s, bus_limits limits);

}  // namespace ovlp::net
