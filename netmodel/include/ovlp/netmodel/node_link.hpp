// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include <ovlp/netmodel/factor_over_time.hpp>

namespace ovlp::net {

/// What joins a node to the network, full duplex.
struct node_link {
  double out_Bps;  ///< bandwidth of what leaves the node; finite, more than 0
  double in_Bps;   ///< of what enters it
  /// Of the link itself, added to the network's for all that it carries; finite, 0 or more.
  double latency_s = 0;
  /// Of both bandwidths, more than 0; nullptr: they stay.
  std::shared_ptr<factor_over_time const> over_time = nullptr;

  /// Of both bandwidths, at that time.
  double factor(double time_s) const { return over_time == nullptr ? 1 : over_time->at(time_s); }
  /// The first change of them after that time; infinity if there is none.
  double next_change_s(double time_s) const {
    return over_time == nullptr ? std::numeric_limits<double>::infinity() : over_time->next_change_s(time_s);
  }
};

/// Those of so many nodes, with this bandwidth in both directions, in bytes per second.
inline std::vector<node_link> alike(std::size_t nodes, double bandwidth) {
  return std::vector(nodes, node_link{bandwidth, bandwidth});
}

}  // namespace ovlp::net
