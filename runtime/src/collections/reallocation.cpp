// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/reallocation.hpp>

#include <memory>
#include <utility>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/handlers.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "collections/thread_states.hpp"
#include "collections/views.hpp"
#include "exchange/delivery.hpp"
#include "exchange/group_messages.hpp"
#include "exchange/group_table.hpp"
#include "exchange/outbox.hpp"
#include "exchange/traffic.hpp"
#include "steps/delivery_order.hpp"
#include "steps/dps_thread.hpp"
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

// Threads that move, or leave

void reallocation::handle_move_thread(move_thread const& message) {
  touch(part::whole_node, node_.self());
  node_.views().deliver(message.thread, make_mail<move_mail>(message.to));
}

void reallocation::send_thread(dps_thread& thread, node_id to) {
  touch(part::whole_node, node_.self());
  thread_address const address = thread.address();
  std::shared_ptr<void> const state = thread.take_state();
  static no_state nothing;
  object_type const* const type = node_.program().collection(address.collection).state.type;
  frame const number{.group = node_.groups().number()};  // records tell it from others by that
  envelope_ptr moved = envelope::make(*type, state ? state.get() : &nothing, {}, number);
  moved->graph = address.collection;
  moved->operation = state_operation;
  moved->thread = address.index;
  node_.views().depart(address);  // before the state is on its way: once it is there, the change may end
  node_.delivery().send_to(to, std::move(moved));
}

void reallocation::handle_state(envelope_ptr state) {
  touch(part::whole_node, node_.self());
  thread_address const address{state->graph, state->thread};
  auto adopted = node_.states().adopt(address, state->object());
  if (!adopted) return;
  node_.views().arrive(address, std::move(*adopted));
  node_.outbox().tell(0, thread_moved{address});
}

void reallocation::thread_left(dps_thread& thread) {
  touch(part::whole_node, node_.self());
  thread_address const address = thread.address();
  node_.states().leave(address, thread.take_state());
  node_.views().leave(address);
  put(thread_gone{});
}

bool reallocation::let_in_held() {
  if (held_back_ == 0) {
    delivery_orders* const orders = node_.settings().orders;
    return orders != nullptr && orders->give_up(node_.self());
  }
  for (dps_thread* thread : node_.views().threads()) thread->push(make_mail<let_in_mail>());
  return true;
}

// New views, late objects, leaving

void reallocation::handle_view_update(view_update const& message) {
  touch(part::whole_node, node_.self());
  if (message.version < views::reading(node_.views())[message.collection].version) {
    return;  // a joining node's first, overtaken by its second
  }
  put(new_view{node_.views().adopt(message)});
  if (record_sink* const sink = node_.records(); sink != nullptr && node_.self() == 0) {
    sink->mapping({message.collection, message.nodes, node_.backend().now_s()});
  }
  node_.outbox().tell(0, view_adopted{message.collection, message.version, node_.traffic().sent(message.epoch - 1)});
}

void reallocation::arrived(node_id from, std::uint32_t epoch) {
  node_.traffic().count_received(from, epoch);
  if (watching_) put(look{});
}

void reallocation::put(event what) {
  touch(part::whole_node, node_.self());
  inbox_.put(std::move(what), [this](event& next) {
    std::visit(handlers{[&](new_view& v) { leaving_threads_ = std::move(v.leaving); },
                        [&](drain& s) { asked_ = std::move(s); }, [&](thread_gone) { --still_here_; },
                        [&](leave const& l) { leave_ = l.number; }, [](look) {}},
               next);
    watching_ = asked_ || leave_;  // before looking: what comes after that looks again
    look_at_change();
    look_whether_to_leave();
    watching_ = asked_ || leave_;
  });
}

void reallocation::look_at_change() {
  if (!asked_ || !node_.traffic().has_received(asked_->expected, node_.views().epoch() - 1)) return;
  still_here_ += leaving_threads_.size();
  for (dps_thread* thread : std::exchange(leaving_threads_, {})) thread->push(make_mail<leave_mail>());
  if (still_here_ > 0) return;
  std::uint32_t const collection = std::exchange(asked_, std::nullopt)->collection;
  node_.views().forget_departed(collection);
  node_.outbox().tell(0, drained{collection});
}

void reallocation::look_whether_to_leave() {
  if (!leave_ || !node_.groups().empty() || node_.open_requests() > 0 || !node_.outbox().all_sent()) return;
  if (!node_.group_messages().tell_before_leaving()) return;
  call_work done;
  {
    scoped_lock const lock(work_mutex_);
    done = std::exchange(work_, {});
  }
  node_.outbox().tell(0, left{*std::exchange(leave_, std::nullopt), done.call, done.done_s});
}

// Work, for policies that measure

void reallocation::count_work(std::uint64_t call, double work_s) {
  if (!node_.settings().at_borders->measures()) return;
  scoped_lock const lock(work_mutex_);
  work_.add(call, work_s);
}

void reallocation::handle_work_request(work_request const& message) {
  double work_s = 0;
  {
    scoped_lock const lock(work_mutex_);
    work_s = work_.of(message.call);
  }
  node_.outbox().tell(0, work_answer{work_s});
}

}  // namespace ovlp::OVLP_INLINE_CORE
