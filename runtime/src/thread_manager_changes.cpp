// SPDX-License-Identifier: BSD-3-Clause
// A node's part in changes of collections; allocation.hpp tells the whole.
#include "thread_manager.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp {

// Asking

std::uint64_t thread_manager::request_resize(collection_definition const& collection, std::size_t count) {
  std::uint32_t const number = program_.number_of(collection);
  if (count == 0) throw config_error("resize of '" + collection.name + "': expected at least one thread");
  if (count > mapping::most_threads) {
    throw config_error("resize of '" + collection.name + "': expected at most " +
                       std::to_string(mapping::most_threads) + " threads, got " + std::to_string(count));
  }
  group_id const request = groups_.number();
  {
    std::scoped_lock const lock(structure_);
    changes_.emplace(request, change_record{});
  }
  deliver_control(0, change_request{request, number, count, {}}, 0);
  return request;
}

std::uint64_t thread_manager::request_remap(collection_definition const& collection, mapping const& to) {
  std::uint32_t const number = program_.number_of(collection);
  std::vector<node_id> nodes = to.resolve(settings_.nodes, collection.name);
  if (!collection.state.empty && collection.state.type == nullptr) {
    throw config_error("remap of '" + collection.name +
                       "': the state of its threads is not a data object and cannot move");
  }
  group_id const request = groups_.number();
  {
    std::scoped_lock const lock(structure_);
    changes_.emplace(request, change_record{});
  }
  deliver_control(0, change_request{request, number, 0, std::move(nodes)}, 0);
  return request;
}

bool thread_manager::change_made(std::uint64_t change, execution* waiter) {
  std::scoped_lock const lock(structure_);
  auto const found = changes_.find(change);
  if (!found->second.done) {
    found->second.waiter = waiter;
    return false;
  }
  std::string const error = found->second.error;
  changes_.erase(found);
  if (!error.empty()) throw config_error(error);
  return true;
}

void thread_manager::take(node_id, change_done const& message) {
  execution* waiter = nullptr;
  {
    std::scoped_lock const lock(structure_);
    change_record& record = changes_.at(message.request);
    record.done = true;
    record.error = message.error;
    waiter = record.waiter;
  }
  wake_caller(waiter);
}

// Node 0 decides

/// Lets the allocation decide with its lock held, and does what it says without.
template <class Decide>
void thread_manager::decide(Decide const& function) {
  std::vector<allocation::action> actions;
  {
    std::scoped_lock const lock(allocation_mutex_);
    function(*allocation_);
    actions = allocation_->take_actions();
  }
  for (allocation::action const& action : actions) {
    if (auto const* send = std::get_if<allocation::send_control>(&action)) {
      deliver_control(send->to, send->message, 0);
    } else if (auto const* launch = std::get_if<allocation::launch_node>(&action)) {
      if (recording()) settings_.sink->node({launch->node, true, world_.now_s()});
      world_.launch(launch->node);
    } else {
      node_id const node = std::get<allocation::release_node>(action).node;
      world_.release(node);
      if (recording()) settings_.sink->node({node, false, world_.now_s()});
    }
  }
}

void thread_manager::take(node_id, change_request const& message) {
  decide([&](allocation& a) { a.take(message); });
}
void thread_manager::take(node_id, thread_moved const& message) {
  decide([&](allocation& a) { a.take(message); });
}
void thread_manager::take(node_id from, view_adopted const& message) {
  decide([&](allocation& a) { a.take(from, message); });
}
void thread_manager::take(node_id from, settled const& message) {
  decide([&](allocation& a) { a.take(from, message); });
}
void thread_manager::take(node_id from, left const& message) {
  decide([&](allocation& a) { a.take(from, message); });
}
void thread_manager::node_joined(node_id node) {
  decide([&](allocation& a) { a.node_joined(node); });
}

void thread_manager::node_renewed(node_id node) {
  for (std::size_t parity : {0u, 1u}) {
    traffic_[node].sent[parity] = 0;
    traffic_[node].received[parity] = 0;
  }
}

// Moving threads

void thread_manager::take(node_id, move_thread const& message) {
  deliver_mail(message.thread, new move_mail(message.to));
}

void thread_manager::send_state(dps_thread& thread, node_id to) {
  thread_address const address = thread.address();
  std::shared_ptr<void> const state = thread.take_state();
  static no_state nothing;
  object_type const* const type = program_.collection(address.collection).state.type;
  envelope_ptr moved = envelope::make(*type, state ? state.get() : &nothing);
  moved->graph = address.collection;
  moved->operation = state_operation;
  moved->thread = address.index;
  moved->frames.push_back({});
  transmit(to, std::move(moved), epoch_);
  {
    std::scoped_lock const lock(structure_);
    --threads_here_[address.collection];
  }
  set_limits();
}

void thread_manager::receive_state(envelope_ptr state) {
  thread_address const address{state->graph, state->thread};
  std::shared_ptr<void> made;
  try {
    made = program_.collection(address.collection).state.adopt(state->object());
  } catch (...) {
    state_failed("the state's move", address, std::current_exception());
    return;
  }
  mail_queue waiting;
  dps_thread* thread = nullptr;
  {
    std::scoped_lock const lock(structure_);
    thread = create(address, made);
    if (auto const mail = early_.extract({address.collection, address.index})) waiting = mail.mapped();
  }
  collection_view const& now = view(address.collection);
  publish(address.collection, now.version, now.node_of, newcomers::come_later);
  set_limits();
  while (!waiting.empty()) thread->push(waiting.pop());
  deliver_control(0, thread_moved{address}, 0);
}

bool thread_manager::let_in_held() {
  if (held_back_ == 0) return false;
  std::vector<dps_thread*> all;
  {
    std::scoped_lock const lock(structure_);
    for (auto const& thread : threads_) all.push_back(thread.get());
  }
  for (dps_thread* thread : all) thread->push(new let_in_mail);
  return true;
}

// New views

void thread_manager::wait_for_senders() {
  std::vector<execution_thread*> all;
  {
    std::scoped_lock const lock(structure_);
    for (auto const& thread : execution_threads_) all.push_back(thread.get());
  }
  for (execution_thread* thread : all) {
    while (thread != scheduler::self() && thread->sending.load()) std::this_thread::yield();
  }
  std::scoped_lock const lock(outside_sending_);
}

void thread_manager::take(node_id, view_update const& message) {
  if (message.version < view(message.collection).version) return;  // a joining node's first, overtaken by its second
  std::vector<dps_thread*> leaving;
  {
    std::scoped_lock const lock(structure_);
    for (auto at = thread_at_.begin(); at != thread_at_.end();) {
      bool const leaves = at->first.first == message.collection && at->first.second >= message.nodes.size();
      if (leaves) leaving.push_back(at->second);
      ++at;
    }
  }
  publish(message.collection, message.version, message.nodes, newcomers::make_theirs);
  epoch_ = std::max(epoch_.load(), message.epoch);
  set_limits();
  wait_for_senders();
  {
    std::scoped_lock const lock(structure_);
    if (!settling_) settling_.emplace();
    settling_->leaving = std::move(leaving);
  }
  view_adopted adopted{message.collection, message.version, {}};
  for (traffic const& with : traffic_) adopted.sent.push_back(with.sent[(message.epoch - 1) % 2].load());
  deliver_control(0, adopted, 0);
}

// Late objects, leaving threads, leaving nodes

void thread_manager::take(node_id, settle const& message) {
  {
    std::scoped_lock const lock(structure_);
    if (!settling_) settling_.emplace();
    settling_->message = message;
    settling_->asked = true;
  }
  watching_arrivals_ = true;
  look_whether_settled();
}

void thread_manager::look_whether_settled() {
  std::vector<dps_thread*> to_tell;
  std::optional<std::uint32_t> done;
  {
    std::scoped_lock const lock(structure_);
    if (settling_ && settling_->asked) {
      bool all_here = true;
      std::size_t const before = (epoch_ - 1) % 2;
      for (std::size_t n = 0; n < traffic_.size(); ++n) {
        all_here = all_here && traffic_[n].received[before].load() >= settling_->message.expected[n];
      }
      if (all_here && !settling_->told) {
        settling_->told = true;
        settling_->still_here = settling_->leaving.size();
        to_tell = settling_->leaving;
      }
      if (settling_->told && settling_->still_here == 0) {
        done = settling_->message.collection;
        settling_.reset();
        watching_arrivals_ = leaving_node_.has_value();
      }
    }
  }
  for (dps_thread* thread : to_tell) thread->push(new leave_mail);
  if (done) {
    forget_departed(*done);
    deliver_control(0, settled{*done}, 0);
  }
  look_whether_to_leave();
}

/// Nothing comes any more for threads that have moved away. If one comes back, its mail may come before its state: it
/// must not find the old thread, which would forward it to where that one went.
void thread_manager::forget_departed(std::uint32_t collection) {
  std::size_t forgotten = 0;
  {
    std::scoped_lock const lock(structure_);
    forgotten = std::erase_if(
        thread_at_, [&](auto const& known) { return known.first.first == collection && known.second->departed(); });
  }
  if (forgotten == 0) return;
  collection_view const& now = view(collection);
  publish(collection, now.version, now.node_of, newcomers::come_later);
}

void thread_manager::thread_left(dps_thread& thread) {
  thread_address const address = thread.address();
  auto const& leave_state = program_.collection(address.collection).state.leave;
  std::shared_ptr<void> const state = thread.take_state();
  try {
    std::scoped_lock const lock(state_functions_);
    if (leave_state && state) leave_state(address.index, state.get());
  } catch (...) {
    state_failed("on_leave", address, std::current_exception());
  }
  {
    std::scoped_lock const lock(structure_);
    thread_at_.erase({address.collection, address.index});
    --threads_here_[address.collection];
    --settling_->still_here;
  }
  set_limits();
  look_whether_settled();
}

void thread_manager::take(node_id, leave const& message) {
  {
    std::scoped_lock const lock(structure_);
    leaving_node_ = message.number;
  }
  watching_arrivals_ = true;
  look_whether_to_leave();
}

void thread_manager::look_whether_to_leave() {
  {
    std::scoped_lock const lock(structure_);
    if (!leaving_node_) return;
  }
  if (!groups_.empty() || open_requests() > 0 || !all_sent()) return;
  std::optional<std::uint64_t> number;
  {
    std::scoped_lock const lock(structure_);
    number = std::exchange(leaving_node_, std::nullopt);
  }
  if (number) deliver_control(0, left{*number}, 0);
}

}  // namespace ovlp
