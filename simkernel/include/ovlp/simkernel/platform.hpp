// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ovlp::sim {

/// Nodes that are alike.
struct node_kind {
  std::size_t count = 1;
  std::size_t cores = 1;
  double speed = 1;     ///< of a core, relative to the reference core
  double launch_s = 0;  ///< until the node can be sent to
};

/// A star: each node has a full-duplex link to a crossbar that is never a bottleneck.
struct network_parameters {
  double latency_s = 0;
  double bandwidth_Bps = 0;  ///< of each direction of each link
};

/// What communication takes from a node's processor.
struct communication_cost {
  /// Cores taken while so many transfers enter, or leave; the last entry stands for all larger numbers.
  std::vector<double> incoming{0};
  std::vector<double> outgoing{0};
  double per_message_s = 0;  ///< CPU seconds on the reference core, at the sender and at the receiver
  double per_byte_s = 0;
};

/// What the runtime itself does and costs.
struct runtime_parameters {
  std::size_t concurrent_per_pair = 1;  ///< objects in transfer at once from one node to another; 0: no bound
  double per_step_s = 0;                ///< of each atomic step, where it is not measured
  double per_object_s = 0;              ///< more for a step that ends with a post
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
};

/// The machine that a simulated run stands on. Format: docs/formats/platform.md.
struct platform {
  std::string name;
  std::string reference_core;
  std::vector<node_kind> nodes;
  network_parameters network;
  communication_cost communication;
  runtime_parameters runtime;
  std::map<std::string, kernel_model> kernels;

  /// The kind of a node; numbers beyond the last one are of the last kind.
  node_kind const& kind_of(std::size_t node) const;
  /// How many nodes the file describes.
  std::size_t node_count() const;

  /// Errors: config_error that names file, key and what was expected.
  static platform read(std::string const& file);
  /// Of a file's contents; `name` stands for the file in messages.
  static platform parse(std::string const& text, std::string const& name);
  /// One of those in platforms/, such as "gigabit"; else a file. Errors: as read().
  static platform find(std::string const& name_or_file);
};

}  // namespace ovlp::sim
