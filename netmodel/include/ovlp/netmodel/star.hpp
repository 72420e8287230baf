// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

namespace ovlp::net {

/// A star: each node has a link to a crossbar that is never a bottleneck.
///
/// A transfer alone takes latency + bytes / bandwidth, with the latencies of the network and of both links. In its
/// bandwidth phase its rate is
///
///     min(B_out(source) / o, B_in(destination) / i)
///
/// where o transfers leave the source and i enter the destination, all in their bandwidth phase, at every moment. These
/// are equal shares, not max-min fairness: what a transfer cannot use of its share is not given to others.
///
/// Cost: start O(1); each begin or end of a bandwidth phase O(log n + p), amortized over events, p = pairs of source
/// and destination at the two nodes whose shares at both ends differ by no more than some factor (16 at most), so O(log
/// n) while one side is loaded. A begin also looks for its pair among those of the node that has fewer. Memory is kept
/// for reuse: nothing is allocated once there have been as many transfers at once. Source: the paper, section 4;
/// docs/model.md, "Transfers". The algorithm is described in star.cpp.
/// Errors: std::logic_error for links or a latency that are not as said.
std::unique_ptr<network> make_star(std::vector<node_link> const& links, double latency_s);

}  // namespace ovlp::net
