// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <ovlp/netmodel/network.hpp>

namespace ovlp::net {

/// How many messages may cross at once; 0: any number.
struct bus_limits {
  std::size_t buses = 0;         ///< in the whole network
  std::size_t output_links = 1;  ///< out of each node
  std::size_t input_links = 1;   ///< into each node
};

/// Messages that take turns: after its latency a transfer takes an output link of its source, an input link of its
/// destination and a bus, all three at once, holds them for bytes / bandwidth, and gives them back. Links and buses are
/// never shared.
///
/// Those that wait are served first in, first out: whenever something is given back or a latency ends, the oldest
/// waiting transfer that finds all three free takes them, and so on. One whose links are taken holds back no younger
/// one. Without limits this is latency + bytes / bandwidth, with no contention.
///
/// Cost: O(log n) for a transfer that need not wait, n of them at once; one that waits also O(w), w = those that wait
/// at its source or destination before it. Source: the model of Dimemas: Girona, Labarta, Badia, Validation of Dimemas
/// communication model for MPI collective operations (EuroPVM/MPI 2000), whose messages wait in the same way; here a
/// latency takes no processor.
class bus final : public network, public phase_counts {
 public:
  /// `bandwidth`: of each transfer, in bytes per second.
  /// Errors: std::logic_error if the bandwidth is not positive and finite, or the latency negative or not finite.
  bus(std::size_t nodes, double latency_s, double bandwidth, bus_limits limits);
  ~bus() override;

  void start(transfer const& started, double now_s) override;
  double next_event() const override;
  std::span<completion const> advance(double to_s) override;
  phase_counts* phases() override { return this; }
  std::uint32_t incoming(std::uint32_t node) const override;
  std::uint32_t outgoing(std::uint32_t node) const override;
  std::span<std::uint32_t const> touched_nodes() const override;
  void clear_touched_nodes() override;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace ovlp::net
