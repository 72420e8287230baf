// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/runtime/internal/memory_watch.hpp>
#include <ovlp/runtime/internal/program.hpp>

namespace ovlp::sim {

/// What virtual nodes have in memory, beside what their platform says that they have room for: the data objects on
/// them, and the states of their threads. What several share, as copies of buffers do, counts once on each node.
///
/// An object is on a node from its posting or its arrival there until the operation that it is for has ended, or asks
/// for the next one; while it crosses to another node it is on both. A state counts as it is at the ends of steps. What
/// operations keep in variables of their own does not count.
/// Cost: a walk over the object or the state each time.
class node_memory final : public memory_watch {
 public:
  /// Of so many nodes. All as long as this lives.
  node_memory(machine::platform const& on, program const& known, machine::event_queue const& clock, std::size_t nodes);

  void hold(void const* key, node_id node, held_in_memory const& what) override;
  void release(void const* key) override;

  /// Of a node whose platform says how much memory it has.
  struct usage {
    node_id node = 0;
    std::size_t bytes = 0;  ///< that it has
    std::size_t peak_bytes = 0;
    double peak_s = 0;
    std::string exceeded;  ///< when and by what for the first time; empty: never
  };
  std::vector<usage> used() const;

 private:
  struct node_state {
    usage so_far;
    std::size_t held_bytes = 0;
    std::map<std::pair<void const*, std::size_t>, std::size_t> shared;  ///< how many hold it
  };
  struct claim {
    node_id node;
    std::size_t bytes;
    std::vector<std::pair<void const*, std::size_t>> shared;
    std::uint32_t graph, operation, thread;
  };

  void remove(claim const& gone);
  std::string owner(claim const& of) const;
  std::string explain(node_id node, claim const& last) const;

  program const& program_;
  machine::event_queue const& clock_;
  std::vector<node_state> nodes_;
  std::unordered_map<void const*, claim> claims_;
};

/// A line for each of the first nodes that had more in memory than they have room for, and one for the rest.
std::vector<std::string> memory_warnings(std::vector<node_memory::usage> const& used);

}  // namespace ovlp::sim
