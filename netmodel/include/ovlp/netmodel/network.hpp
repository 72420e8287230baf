// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace ovlp::net {

/// Bytes on their way from one node to another. Nodes are numbered from 0.
struct transfer {
  std::uint64_t id;  ///< chosen by the caller, who finds it again in the completion
  std::uint32_t source;
  std::uint32_t destination;  ///< not the source
  std::uint64_t bytes;
  /// When it could have started, had it not waited for another one of its sender: latencies of those that follow one
  /// another down the wire pass together. Not after its start; none: it has not waited.
  std::optional<double> handed_over_s{};
};

/// The last byte of a transfer has arrived.
struct completion {
  std::uint64_t id;
  double time_s;
};

/// How many transfers are in their bandwidth phase at each node: what communication takes from its processor depends on
/// it. Changes only in network::advance().
class phase_counts {
 public:
  /// Those that enter the node.
  virtual std::uint32_t incoming(std::uint32_t node) const = 0;
  /// Those that leave it.
  virtual std::uint32_t outgoing(std::uint32_t node) const = 0;
  /// The nodes whose counts may have changed since the list was cleared, each once.
  virtual std::span<std::uint32_t const> touched_nodes() const = 0;
  virtual void clear_touched_nodes() = 0;

 protected:
  ~phase_counts() = default;
};

/// What a model has done: the part of its cost that is not given by the number of transfers.
struct solver_counts {
  std::uint64_t flips = 0;  ///< of the bottleneck of a pair of nodes, from one side to the other
  std::uint64_t looks = 0;  ///< at pairs, whether their bottlenecks have changed or which ends first
  std::uint64_t moves = 0;  ///< of entries in heaps
};

/// When transfers that share a network end. It is told and asked, and never calls back:
///
///     network.start({id, from, to, bytes}, now);
///     clock = network.next_event();
///     for (auto const& done : network.advance(clock)) ...
///
/// A transfer has a latency phase, which uses no bandwidth and is over where one that began when it was handed over
/// would be, and then a bandwidth phase, which one of 0 bytes does not have. All starts and ends of bandwidth phases at
/// one instant are applied before rates are set.
///
/// Units: seconds from an origin that the caller chooses, bytes.
/// Thread: one at a time. Networks are independent of one another.
/// Errors: std::logic_error for what a correct caller never does.
class network {
 public:
  network() = default;
  network(network const&) = delete;
  network& operator=(network const&) = delete;
  virtual ~network() = default;

  /// A transfer starts; times never decrease from call to call, advance() included.
  /// What follows from it at once, as the end of a latency of 0, is left to advance(now).
  virtual void start(transfer const& started, double now_s) = 0;

  /// The earliest time at which a latency phase or a transfer ends, if nothing more is started; infinity if none does.
  virtual double next_event() const = 0;

  /// Goes on to `to_s`, which is finite, through all events up to it. The transfers that ended, in order of time, then
  /// of their start; valid until the next call.
  virtual std::span<completion const> advance(double to_s) = 0;

  /// How long a latency phase between these nodes takes; 0: the model does not know.
  virtual double latency_s(std::uint32_t source, std::uint32_t destination) const = 0;

  /// Whether handed_over_s is known to the model; else each transfer takes its whole latency.
  virtual bool knows_handed_over() const { return true; }

  /// nullptr: this model has no bandwidth phases, or does not count them.
  virtual phase_counts* phases() { return nullptr; }

  /// So far; 0: the model does not count.
  virtual solver_counts counts() const { return {}; }
};

}  // namespace ovlp::net
