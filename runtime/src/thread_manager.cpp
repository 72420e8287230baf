// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/thread_manager.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/change_requests.hpp>
#include <ovlp/runtime/internal/coordinator.hpp>
#include <ovlp/runtime/internal/handlers.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>

#include "collections/thread_states.hpp"
#include "collections/views.hpp"
#include "exchange/delivery.hpp"
#include "exchange/group_messages.hpp"
#include "exchange/group_table.hpp"
#include "exchange/outbox.hpp"
#include "exchange/traffic.hpp"
#include "steps/dps_thread.hpp"
#include "steps/execution_pool.hpp"
#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {

thread_manager::thread_manager(node_id self, ovlp::program const& program, ovlp::backend& world, node_settings settings,
                               common_parts& common)
    : self_(self),
      program_(program),
      world_(world),
      common_(common),
      settings_(settings),
      scheduler_(std::make_unique<ovlp::scheduler>(world, std::max<std::size_t>(program.collections(), 1),
                                                   settings.execution_threads > 0)),
      groups_(std::make_unique<group_table>(self, settings.launch, settings.orders != nullptr)),
      group_messages_(std::make_unique<ovlp::group_messages>(*this)),
      states_(std::make_unique<thread_states>(*this)),
      execution_threads_(std::make_unique<execution_pool>(*this)),
      views_(std::make_unique<ovlp::views>(*this)),
      traffic_(std::make_unique<ovlp::traffic>(settings.nodes)),
      outbox_(std::make_unique<ovlp::outbox>(*this)),
      delivery_(std::make_unique<ovlp::delivery>(*this)),
      calls_(std::make_unique<ovlp::calls>(*this)),
      change_requests_(std::make_unique<ovlp::change_requests>(*this)),
      reallocation_(std::make_unique<ovlp::reallocation>(*this)),
      coordinator_(self == 0 ? std::make_unique<ovlp::coordinator>(*this) : nullptr) {}

thread_manager::~thread_manager() = default;

void thread_manager::start(bool joins_later) {
  views_->start(joins_later);
  if (coordinator_) coordinator_->begin();
}

void thread_manager::stop() {
  stopping_ = true;
  scheduler_->wake_all();
}

void thread_manager::unwind() {
  views_->drop_mail();  // first, for mail refers to operations
  for (dps_thread* thread : views_->threads()) {
    for (execution* e : thread->suspended()) execution_threads_->all().front()->unwind(*e);
  }
}

void thread_manager::hold(envelope& object, memory_watch& watch) const {
  object.claim.hold(watch, self_, object.in_memory());
}

void thread_manager::receive(node_id from, envelope_ptr object) {
  hold(*object);
  std::uint32_t const epoch = object->epoch;
  if (record_sink* const sink = records()) {
    sink->delivery({message_kind::object, from, self_, world_.now_s(), object->key(), origin_of(object->frames())});
  }
  switch (object->operation) {
    case state_operation: reallocation_->handle_state(std::move(object)); break;
    case result_operation: calls_->handle_result(std::move(object)); break;
    default: delivery_->handle_object(std::move(object));
  }
  reallocation_->arrived(from, epoch);
}

void thread_manager::receive(node_id from, control const& message) {
  if (record_sink* const sink = records(); sink != nullptr && from != self_) {
    sink->delivery({message_kind::control, from, self_, world_.now_s(), {}, 0});
  }
  std::visit(handlers{[&](closer_here const& m) { group_messages_->handle_closer_here(m); },
                      [&](group_total const& m) {
                        delivery_->handle_total(m);
                        reallocation_->arrived(from, m.epoch);
                      },
                      [&](credit const& m) { group_messages_->handle_credit(m); },
                      [&](handled const& m) { group_messages_->handle_handled(from, m); },
                      [&](count_in const& m) { group_messages_->handle_count_in(m); },
                      [&](change_done const& m) { change_requests_->handle_change_done(m); },
                      [&](border_answer const& m) { change_requests_->handle_border_answer(m); },
                      [&](work_request const& m) { reallocation_->handle_work_request(m); },
                      [&](move_thread const& m) { reallocation_->handle_move_thread(m); },
                      [&](view_update const& m) { reallocation_->handle_view_update(m); },
                      [&](drain const& m) { reallocation_->handle_drain(m); },
                      [&](leave const& m) { reallocation_->handle_leave(m); },
                      [&](auto const& of_node_0) { coordinator_->receive(from, of_node_0); }},
             message);
}

void thread_manager::sent(node_id to) {
  outbox_->sent(to);
  reallocation_->look_after_transfer();
}

void thread_manager::node_renewed(node_id node) { traffic_->forget(node); }

bool thread_manager::passive() const {
  return scheduler_->busy() == 0 && outbox_->all_sent() && (!coordinator_ || coordinator_->idle());
}

std::size_t thread_manager::open_requests() const { return calls_->open() + change_requests_->open(); }

void thread_manager::wake_caller(execution* waiter) const {
  if (waiter != nullptr) {
    waiter->wake();
  } else {
    world_.call_ended();
  }
}

std::string thread_manager::broken_invariant() const {
  for (std::string broken : {scheduler_->broken_invariant(), groups_->broken_invariant(), outbox_->broken_invariant(),
                             views_->broken_invariant(), coordinator_ ? coordinator_->broken_invariant() : ""}) {
    if (!broken.empty()) return broken;
  }
  return "";
}

std::vector<std::string> thread_manager::waiting() const {
  std::vector<std::string> list;
  for (dps_thread* thread : views_->threads()) {
    for (execution const* e : thread->suspended()) list.push_back(e->describe() + " " + e->describe_wait());
  }
  for (thread_address const& thread : views_->expected()) {
    list.push_back("what has come to " + node_name(self_) + " for " + program_.name(thread) +
                   " waits for it to come there, too");
  }
  if (std::string const wait = coordinator_ ? coordinator_->describe_wait() : ""; !wait.empty()) list.push_back(wait);
  return list;
}

}  // namespace ovlp::OVLP_INLINE_CORE
