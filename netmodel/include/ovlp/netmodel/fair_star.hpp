// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

namespace ovlp::net {

/// What each direction of a link passes beyond its bandwidth.
struct link_burst {
  double bytes = 0;        ///< what an idle direction saves up and passes at line speed
  double line_Bps = 1e10;  ///< that speed; where it is not above the bandwidth, a burst changes nothing
};

/// A star as that of make_star, but its links are shared max-min fair: what a transfer cannot use of its share, since
/// it is held up elsewhere, others get. This is what TCP comes near to, where equal shares waste bandwidth.
///
/// Each direction of a link may have a token bucket, as traffic shapers do: it fills with the bandwidth up to the bytes
/// of a burst; while it holds something the direction passes `line_Bps`, then the bandwidth.
///
/// Cost: each begin or end of a bandwidth phase, and each bucket that runs dry, O(p) for each port whose share follows
/// from it, p = the nodes that it exchanges transfers with; O(log n) for n transfers of one pair of nodes. In an
/// all-to-all half of the ports follow, in most programs few. For clusters of some hundred nodes; make_star is for
/// more. Source: Bertsekas and Gallager, Data Networks, 6.5.2 (max-min fairness); compared with TCP in
/// docs/lab/validation.md. The algorithm is described in fair_star.cpp.
/// Errors: std::logic_error for links, a latency or a burst that are not as said.
std::unique_ptr<network> make_fair_star(std::vector<node_link> const& links, double latency_s, link_burst burst = {});

}  // namespace ovlp::net
