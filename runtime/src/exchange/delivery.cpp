// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/delivery.hpp"

#include <string>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "exchange/group_table.hpp"
#include "exchange/outbox.hpp"
#include "exchange/traffic.hpp"
#include "steps/dps_thread.hpp"
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

bool delivery::send(edge_definition const& edge, envelope_ptr object, std::size_t sender, std::uint32_t place,
                    post_record* record) {
  std::uint32_t const collection = node_.program().graph(object->graph).collection_of[edge.target];
  node_id to = 0;
  dps_thread* owned = nullptr;
  if (record != nullptr) record->at_s = node_.backend().now_s();  // before anyone can take it
  {
    views::reading const now(node_.views());
    placement const& where = *now[collection].where;
    frame const& group = object->innermost();
    std::size_t const index = edge.route.kind == route_kind::least_loaded
                                  ? node_.groups().least_loaded(group.group, group.place, where.size())
                                  : choose(edge, *object, {where.size(), sender, place, group.opener});
    object->thread = static_cast<std::uint32_t>(index);
    if (record != nullptr) record->to_thread = object->thread;
    to = index < where.size() ? where.node_of(index) : leaving_opener(edge, *object);
    if (to == node_.self()) {
      thread_address const here{collection, object->thread};
      node_.hold(*object);
      owned = node_.views().add(now, here, as_mail(std::move(object)));
    } else {
      object->epoch = stamp(to, now);
    }
  }
  if (record != nullptr) {
    record->to_node = to;
    node_.records()->post(*record);
  }
  if (owned != nullptr) owned->own();
  if (!object) return true;
  node_.outbox().send(to, std::move(object));
  return false;
}

/// What goes to another node by the views of this moment is counted before they change: the change waits for it there.
std::uint32_t delivery::stamp(node_id to, views::reading const& now) {
  node_.traffic().count_sent(to, now.epoch());
  return now.epoch();
}

/// The node of an opener that is no longer in the view: it leaves when its group has been closed there, or has ended.
node_id delivery::leaving_opener(edge_definition const& edge, envelope const& object) const {
  frame const& group = object.innermost();
  bool const closes = is_closer(node_.program().operation(object.graph, object.operation).kind);
  if (closes || node_.program().port(object.graph, group.port).side) return node_of_group(group.group);
  graph_definition const& graph = *node_.program().graph(object.graph).definition;
  throw graph_error("graph '" + graph.name + "', edge to " + graph.describe(edge.target) + ": the opener, thread " +
                    std::to_string(object.thread) + " of collection '" + graph.operations[edge.target].threads->name +
                    "', has left");
}

std::size_t delivery::choose(edge_definition const& edge, envelope& object, routing const& now) const {
  try {
    return edge.route(object.object(), now);
  } catch (graph_error const& wrong) {
    graph_definition const& graph = *node_.program().graph(object.graph).definition;
    throw graph_error("graph '" + graph.name + "', edge to " + graph.describe(edge.target) + " in collection '" +
                      graph.operations[edge.target].threads->name + "': " + wrong.what());
  }
}

void delivery::send(group_total total, group_id call) {
  node_id to = node_.self();
  dps_thread* owned = nullptr;
  {
    views::reading const now(node_.views());
    placement const& where = *now[total.closer.collection].where;
    if (total.closer.index < where.size()) to = where.node_of(total.closer.index);
    if (to == node_.self()) {
      owned = node_.views().add(now, total.closer, make_mail<total_mail>(total));
    } else {
      total.epoch = stamp(to, now);
    }
  }
  if (owned != nullptr) owned->own();
  if (to != node_.self()) node_.outbox().tell(to, total, call);
}

void delivery::send_to(node_id to, envelope_ptr object) {
  object->epoch = stamp(to, views::reading(node_.views()));
  node_.outbox().send(to, std::move(object));
}

void delivery::send_to(node_id to, group_total total, group_id call) {
  total.epoch = stamp(to, views::reading(node_.views()));
  node_.outbox().tell(to, total, call);
}

void delivery::handle_object(envelope_ptr object) {
  std::uint32_t const collection = node_.program().graph(object->graph).collection_of[object->operation];
  thread_address const to{collection, object->thread};
  node_.views().deliver(to, as_mail(std::move(object)));
}

void delivery::handle_total(group_total const& total) {
  node_.views().deliver(total.closer, make_mail<total_mail>(total));
}

}  // namespace ovlp::OVLP_INLINE_CORE
