// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/base/held_nodes.hpp>

namespace ovlp {

/// The number of a node, from 0; "node3" in mappings and messages.
using node_id = std::uint32_t;

std::string node_name(node_id node);

/// On which node each thread of a collection lives.
///
/// Written as a list of node names, each with the number of consecutive threads placed there:
/// "node0*2 node1", "node[0-99]", "node[0-3,8]*2". Or a number of threads, dealt out in turn over nodes 0, 1, ...
/// Errors: config_error that shows the place in the text.
class mapping {
 public:
  /// Of one collection.
  static constexpr std::size_t most_threads = std::size_t{1} << 24;
  /// Of a run.
  static constexpr std::size_t most_nodes = held_nodes::most;

  mapping(std::string_view text);  // NOLINT(google-explicit-constructor): a mapping is written as text
  mapping(char const* text) : mapping(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  mapping(std::string const& text) : mapping(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)

  /// The node of each thread.
  explicit mapping(std::vector<node_id> nodes) : nodes_(std::move(nodes)) {}

  /// `threads` threads dealt out in turn over all nodes of the run.
  static mapping in_turn(std::size_t threads);
  /// `threads` threads dealt out in turn over the nodes first .. first + nodes - 1.
  static mapping in_turn(std::size_t threads, std::size_t nodes, node_id first = 0);

  /// The node of each thread in a run of `nodes` nodes.
  /// Errors: config_error if there is no thread or a node is not in the run; the text names `collection`.
  std::vector<node_id> resolve(std::size_t nodes, std::string_view collection) const;
  /// The node of a thread that joins later, with an index beyond these: the mapping is repeated; dealing out over all
  /// nodes goes on.
  node_id beyond(std::size_t index, std::size_t nodes) const;

 private:
  mapping() = default;
  std::size_t in_turn_threads_ = 0;  ///< when not 0: dealt out over all nodes
  std::vector<node_id> nodes_;
};

}  // namespace ovlp
