// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ovlp::net {
class network;
}

namespace ovlp::sim {

/// A limit on the CPU time of a node, as control groups set it: at most `share` of its cores, granted anew at the start
/// of each period. Until its grant is used up a node computes at full speed; then it stands still.
struct cpu_quota {
  double share = 1;     ///< above 0, at most 1
  double period_s = 0;  ///< above 0
  double carry_s = 0;   ///< of an unused grant, kept over the end of its period
};

/// Nodes that are alike.
struct node_kind {
  std::size_t count = 1;
  std::size_t cores = 1;
  double speed = 1;     ///< of a core, relative to the reference core
  double launch_s = 0;  ///< until the node can be sent to
  std::optional<cpu_quota> quota;
  /// Relative standard deviation of a node's speed from run to run and node to node, since others use the machine too.
  /// Of --vary only.
  double speed_deviation = 0;

  /// What it gives in the long run, in reference cores.
  double capacity() const { return static_cast<double>(cores) * speed * (quota ? quota->share : 1); }
};

/// How transfers share what they share.
enum class network_model : std::uint8_t {
  star,     ///< net::star, the paper's: equal shares
  max_min,  ///< net::fair_star
};

/// A star: each node has a full-duplex link to a crossbar that is never a bottleneck.
struct network_parameters {
  network_model model = network_model::star;
  double latency_s = 0;
  double bandwidth_Bps = 0;  ///< of each direction of each link
  double burst_bytes = 0;    ///< of max_min: what an idle direction saves up
};

/// What communication takes from a node's processor.
struct communication_cost {
  /// Cores taken while so many transfers enter, or leave; the last entry stands for all larger numbers.
  std::vector<double> incoming{0};
  std::vector<double> outgoing{0};
  /// CPU seconds on the reference core.
  struct end {
    double per_message_s = 0;
    double per_byte_s = 0;
  };
  end send, receive;
  /// Objects are copied in pieces of this size: what is copied before a transfer begins, and after it has ended; the
  /// rest is copied meanwhile. 0: all of it before, and all after.
  double piece_bytes = 0;
  /// More for the first message that a node sends after kernels, which leave its caches cold
  /// (runtime_parameters::cold_after_s); or after it has done nothing for t, while others used them: then
  /// 1 - exp(-t / cooling_s) of it.
  double cold_s = 0;
  /// More for a message to a node that does nothing: for who sends it, and so wakes it, and for the node, there again
  /// for each piece.
  double send_wake_s = 0;
  double wake_s = 0;
  /// And more for a node, asleep or computing, that has done nothing for messages for t:
  /// asleep_s * (1 - exp(-t / cooling_s)).
  double asleep_s = 0;
  double cooling_s = 0;
  /// Longer, for each byte that messages have moved through the node's caches since the kernel before, takes a kernel.
  double evicted_per_byte_s = 0;
};

/// What the runtime itself does and costs.
struct runtime_parameters {
  std::size_t concurrent_per_pair = 1;  ///< objects in transfer at once from one node to another; 0: no bound
  bool control_in_order = false;        ///< control messages come after the objects in transfer before them
  /// 0: an object is in transfer until it has crossed the network. Else until its sender has copied it to a connection
  /// that holds no more than so many bytes; the objects of a connection cross the network one after another. And who
  /// sends copies: an execution thread goes on when it has done for its messages what they cost there.
  double connection_bytes = 0;
  double per_step_s = 0;    ///< of each atomic step, where it is not measured
  double per_object_s = 0;  ///< more for a step that ends with a post
  double per_kernel_s = 0;  ///< more for a step with kernels: what follows them finds the caches cold
  double cold_after_s = 0;  ///< kernels of this length leave them cold; shorter ones as much less
};

/// How long a kernel takes as a function of its sizes, in seconds on the reference core:
///   offset_s + coefficient_s * prod(size_i ^ exponent_i) * (1 + half_size / s) * (1 + s / double_size),
///   s = min(size_i)
/// The speed reaches half of its limit where s is `half_size`; large blocks leave the caches, and time has doubled
/// where s is `double_size` (0: never).
struct kernel_model {
  double offset_s = 0;
  double coefficient_s = 0;
  std::vector<double> exponents;  ///< one for each size
  double half_size = 0;
  double double_size = 0;

  /// Seconds of a kernel with as many sizes as there are exponents; `offset_s` if one of them is 0.
  double operator()(std::span<std::int64_t const> sizes) const;
};

/// The machine that a simulated run stands on. Format: docs/formats/platform.md.
struct platform {
  std::string name;
  std::string reference_core;
  std::vector<node_kind> nodes;
  /// Of one machine on which all nodes live: each, with a quota, on one of its cores, which they take in turn.
  /// 0: each node is a machine.
  std::size_t host_cores = 0;
  /// How long a thread of a node there computes before another thread of the node that waits gets its turn; 0: until it
  /// has nothing to do.
  double host_slice_s = 0;
  /// From one moment to the next at which such a core goes to another node, if one waits for it; 0: a node has it until
  /// it has nothing to do or no grant.
  double host_turn_s = 0;
  network_parameters network;
  communication_cost communication;
  runtime_parameters runtime;
  std::map<std::string, kernel_model> kernels;

  /// The kind of a node; numbers beyond the last one are of the last kind.
  node_kind const& kind_of(std::size_t node) const;
  /// How many nodes the file describes.
  std::size_t node_count() const;

  std::unique_ptr<net::network> make_network(std::size_t nodes) const;

  /// Errors: config_error that names file, key and what was expected.
  static platform read(std::string const& file);
  /// Of a file's contents; `name` stands for the file in messages.
  static platform parse(std::string const& text, std::string const& name);
  /// One of those in platforms/, such as "gigabit"; else a file. Errors: as read().
  static platform find(std::string const& name_or_file);
  /// The contents of its file.
  static std::string text_of(std::string const& name_or_file);
};

}  // namespace ovlp::sim
