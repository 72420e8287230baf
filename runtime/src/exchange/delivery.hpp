// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>

#include "collections/views.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

// exchange/: how objects go from an operation to another, and how everybody learns when a group is complete.
//
// An object travels in an envelope: where it goes (graph, operation, thread), and its frames: the call that it belongs
// to and its place in each group around it, the innermost last. Who opens a group adds a frame, who closes it takes it
// off, so an object carries all that is needed to find its closer and no table of objects exists anywhere.
//
// What always holds:
//   - an object counts as sent (traffic) under the same reading of the views that chose its node: a change that has
//     adopted a new view knows all that went by the old one;
//   - a group's number says which node opened it (node_of_group), a call's number who asked;
//   - a group_total goes out once, when both the count and the closer are known; an empty group's at once;
//   - messages may overtake each other (decision 7), but an object never counts before it is in a mailbox.
//
// Each part has a mutex of its own and calls no other part with it held.

/// Where objects and totals go: a route says to which thread, a view to which node; then they go into that thread's
/// mailbox here, or through the outbox.
/// Thread: any.
class delivery {
 public:
  explicit delivery(thread_manager& node) : node_(node) {}

  /// An object that thread `sender` of its collection posts on the edge, the one at `place` of its group or of the
  /// calls made here. `record`, if there is one, is emitted with what is found here. Errors: graph_error of the route.
  bool send(edge_definition const& edge, envelope_ptr object, std::size_t sender, std::uint32_t place,
            post_record* record);
  /// A total to its closer; `call` of the main program: for the records.
  void send(group_total total, group_id call);
  /// To another node, whatever the views say.
  void send_to(node_id to, envelope_ptr object);
  void send_to(node_id to, group_total total, group_id call);

  /// What has come from another node.
  void handle_object(envelope_ptr object);
  void handle_total(group_total const& total);

 private:
  std::size_t choose(edge_definition const& edge, envelope& object, routing const& now) const;
  node_id leaving_opener(edge_definition const& edge, envelope const& object) const;
  std::uint32_t stamp(node_id to, views::reading const& now);

  thread_manager& node_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
