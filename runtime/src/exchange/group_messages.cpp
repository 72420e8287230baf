// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/group_messages.hpp"

#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "collections/views.hpp"
#include "exchange/delivery.hpp"
#include "exchange/group_table.hpp"
#include "exchange/outbox.hpp"
#include "steps/execution.hpp"

namespace ovlp::OVLP_INLINE_CORE {

void group_messages::end(std::uint32_t graph, std::size_t closer, group_id group, std::uint64_t count, group_id call) {
  if (auto const known = node_.groups().end(group, count)) {
    node_.delivery().send({*known, group, count, graph, static_cast<std::uint32_t>(closer)}, call);
  }
}

void group_messages::end_empty(std::uint32_t graph, port_reference port, std::vector<frame> opened, std::size_t sender,
                               std::int32_t iteration) {
  graph_definition const& definition = *node_.program().graph(graph).definition;
  std::size_t const closer = *definition.operations[port.operation].ports[port.port].closer;
  // Every edge into the closer must agree on its thread, so any fixed one tells it.
  std::optional<route_definition> route;
  for (operation_definition const& operation : definition.operations) {
    for (port_definition const& p : operation.ports) {
      if (p.edge && p.edge->target == closer && p.edge->route.fixed() && !route) route = p.edge->route;
    }
  }
  if (!route) {
    throw graph_error("nothing was posted on " + definition.describe(port) + ", and " + definition.describe(closer) +
                      " is routed by an object's content: an empty group has no thread to end in");
  }
  std::uint32_t const collection = node_.program().graph(graph).collection_of[closer];
  frame const group = opened.back();
  group_id const call = origin_of(opened);
  std::size_t const index =
      (*route)(nullptr, routing{node_.views().size(collection), sender, group.place, group.opener});
  group_total total{{collection, static_cast<std::uint32_t>(index)},
                    group.group,
                    0,
                    graph,
                    static_cast<std::uint32_t>(closer),
                    std::move(opened),
                    iteration};
  node_.delivery().send(std::move(total), call);
}

void group_messages::give_credit(group_id group, std::uint32_t place, group_id call) {
  node_.outbox().tell(node_of_group(group), credit{group, place}, call);
}

std::optional<std::uint64_t> group_messages::closer_at(group_id group, thread_address closer, group_id call) {
  node_id const home = node_of_group(group);
  if (home != node_.self()) {
    node_.outbox().tell(home, closer_here{group, closer, call}, call);
    return std::nullopt;
  }
  group_table::closer_answer const answer = node_.groups().closer_at(group, closer);
  if (answer.total) return answer.total;
  if (answer.conflict || answer.unknown) {
    program const& known = node_.program();
    node_.backend().fail({.kind = failure::kind_type::graph,
                          .type = "ovlp::graph_error",
                          .text = "the objects of one group (" + group_name(group) + ") reached two closer threads: " +
                                  (answer.conflict ? known.name(*answer.conflict) : std::string("one that has ended")) +
                                  " and " + known.name(closer) +
                                  "; the routes to a merge or stream must give one thread for a whole group",
                          .node = node_name(node_.self())});
  }
  return std::nullopt;
}

void group_messages::handle_closer_here(closer_here const& message) {
  if (auto const total = closer_at(message.group, message.closer, message.call)) {
    node_.delivery().send({message.closer, message.group, *total, 0, 0}, message.call);
  }
}

void group_messages::handle_credit(credit const& message) {
  if (execution* const waiter = node_.groups().give_back(message.group, message.place)) waiter->wake();
}

// Side groups

void group_messages::end_side(group_id group, std::uint64_t count, group_id call) {
  pass_on(group, node_.groups().end_side(group, count), call);
}

void group_messages::give_handled(std::uint32_t graph, frame const& of, handled_total* side, group_id call) {
  auto const add_here = [&](std::uint64_t count) {
    handled const here{of.group, count, handled::what_type::told};
    pass_on(of.group, node_.groups().add_handled(here, node_.self()), call);
  };
  if (side != nullptr && !is_explored()) {
    if (side->add_here()) add_here(0);
    return;
  }
  if (node_.program().port(graph, of.port).credited()) {
    give_credit(of.group, of.place, call);
    return;
  }
  node_id const home = node_of_group(of.group);
  if (home == node_.self()) {
    add_here(1);
    return;
  }
  handled_elsewhere::news news;
  {
    scoped_lock const lock(mutex_);
    news = elsewhere_.add(of.group);
  }
  if (news.count == 0) return;
  auto const what = news.begins ? handled::what_type::counts : handled::what_type::told;
  node_.outbox().tell(home, handled{of.group, news.count, what}, call);
}

void group_messages::pass_on(group_id group, group_table::side_news const& news, group_id call) {
  for (auto const& [node, batch] : news.batches) node_.outbox().tell(node, count_in{group, batch}, call);
  if (news.waiter != nullptr) news.waiter->wake();
}

void group_messages::handle_handled(node_id from, handled const& message) {
  pass_on(message.group, node_.groups().add_handled(message, from), 0);
}

void group_messages::handle_count_in(count_in const& message) {
  std::uint64_t count = 0;
  {
    scoped_lock const lock(mutex_);
    count = elsewhere_.set_batch(message.group, message.batch);
  }
  if (count > 0)
    node_.outbox().tell(node_of_group(message.group), handled{message.group, count, handled::what_type::told});
  node_.reallocation().look_after_transfer();
}

bool group_messages::tell_before_leaving() {
  std::vector<handled> last;
  {
    scoped_lock const lock(mutex_);
    if (elsewhere_.empty()) return true;
    elsewhere_.leave([&](group_id group, std::uint64_t count) {
      last.push_back({group, count, handled::what_type::leaves});
    });
  }
  for (handled const& told : last) node_.outbox().tell(node_of_group(told.group), told);
  return false;
}

}  // namespace ovlp::OVLP_INLINE_CORE
