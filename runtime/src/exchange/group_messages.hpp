// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "exchange/group_table.hpp"
#include "exchange/handled_counts.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

/// What nodes tell one another of groups: to the node that opened a group, which thread closes it, and that objects
/// have been handed out or handled; to the closer, the total. Within a node they are function calls. Thread: any.
/// `call` is of the main program, for the records.
class group_messages {
 public:
  explicit group_messages(thread_manager& node) : node_(node) {}

  /// A group of this node has so many objects.
  void end(std::uint32_t graph, std::size_t closer, group_id group, std::uint64_t count, group_id call);
  /// Nothing was posted on a port: its closer, which knows of nothing else, is to run. `opened`: the frames that an
  /// object would have had. Errors: graph_error if only an object could say to which thread.
  void end_empty(std::uint32_t graph, port_reference port, std::vector<frame> opened, std::size_t sender,
                 std::int32_t iteration);
  /// The closer has handed out the group's object of this place.
  void give_credit(group_id group, std::uint32_t place, group_id call);
  /// The first object of a group has come to its closer. Returns the total, if it is known here.
  std::optional<std::uint64_t> closer_at(group_id group, thread_address closer, group_id call);

  /// A side group of this node has so many objects.
  void end_side(group_id group, std::uint64_t count, group_id call);
  /// An object of a side group has been handled, with all that followed from it: that of this frame. `side`: the group,
  /// if that is known.
  void give_handled(std::uint32_t graph, frame const& of, handled_total* side, group_id call);
  /// The node is to leave: tells what it counts, once, and returns whether nobody will ask for more.
  bool tell_before_leaving();

  void handle_closer_here(closer_here const& message);
  void handle_credit(credit const& message);
  void handle_handled(node_id from, handled const& message);
  void handle_count_in(count_in const& message);

 private:
  void pass_on(group_id group, group_table::side_news const& news, group_id call);

  thread_manager& node_;
  spin_mutex mutex_;
  handled_elsewhere elsewhere_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
