// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

namespace ovlp::net {

/// What each direction of a link passes beyond its bandwidth.
struct link_burst {
  double bytes = 0;        ///< what an idle direction saves up and passes at line speed
  double line_Bps = 1e10;  ///< that speed; where it is not above the bandwidth, a burst changes nothing
};

/// A star as net::star, but its links are shared max-min fair: what a transfer cannot use of its share, since it is
/// held up elsewhere, others get. This is what TCP comes near to, where equal shares waste bandwidth.
///
/// Each direction of a link may have a token bucket, as traffic shapers do: it fills with the bandwidth up to the bytes
/// of a burst; while it holds something the direction passes `line_Bps`, then the bandwidth.
///
/// Cost: each begin or end of a bandwidth phase, and each bucket that runs dry, O(p) for each port whose share follows
/// from it, p = the nodes that it exchanges transfers with; O(log n) for n transfers of one pair of nodes. In an
/// all-to-all half of the ports follow, in most programs few. For clusters of some hundred nodes; net::star is for
/// more. Source: Bertsekas and Gallager, Data Networks, 6.5.2 (max-min fairness); compared with TCP in
/// docs/lab/validation.md. The algorithm is described in fair_star.cpp.
class fair_star final : public network, public phase_counts {
 public:
  /// Errors: std::logic_error for links, a latency or a burst that are not as said.
  fair_star(std::vector<node_link> const& links, double latency_s, link_burst burst = {});
  ~fair_star() override;

  void start(transfer const& started, double now_s) override;
  double next_event() const override;
  std::span<completion const> advance(double to_s) override;
  double latency_s(std::uint32_t source, std::uint32_t destination) const override;
  phase_counts* phases() override { return this; }
  std::uint32_t incoming(std::uint32_t node) const override;
  std::uint32_t outgoing(std::uint32_t node) const override;
  std::span<std::uint32_t const> touched_nodes() const override;
  void clear_touched_nodes() override;
  /// Of the bottleneck of a pair of nodes, from one side to the other.
  std::uint64_t flips() const override;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace ovlp::net
