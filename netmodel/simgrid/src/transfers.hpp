// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <simgrid/s4u.hpp>

namespace ovlp::net {

/// SimGrid's network between hosts, told and asked. One at a time.
/// `latency_factor`: what its latencies are multiplied by; 0: not known, so no bandwidth phases are counted.
std::unique_ptr<network> make_transfers(std::vector<::simgrid::s4u::Host*> hosts, double latency_factor);

}  // namespace ovlp::net
