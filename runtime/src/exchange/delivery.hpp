// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>

#include "collections/views.hpp"

namespace ovlp {
inline namespace OVLP_CORE {

class thread_manager;

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

}  // namespace OVLP_CORE
}  // namespace ovlp
