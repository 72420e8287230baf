// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/reallocation.hpp>

#include <exception>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "collections/allocation.hpp"
#include "collections/thread_states.hpp"
#include "collections/views.hpp"
#include "exchange/delivery.hpp"
#include "exchange/group_table.hpp"
#include "exchange/outbox.hpp"
#include "exchange/traffic.hpp"
#include "steps/dps_thread.hpp"
#include "steps/mail.hpp"

namespace ovlp {
inline namespace OVLP_CORE {

reallocation::reallocation(thread_manager& node)
    : node_(node),
      allocation_(node.self() == 0 ? std::make_unique<allocation>(node.program(), node.settings().nodes) : nullptr) {}

reallocation::~reallocation() = default;

// Asking

std::uint64_t reallocation::request_resize(collection_definition const& collection, std::size_t count) {
  std::uint32_t const number = node_.program().number_of(collection);
  if (count == 0) throw config_error("resize of '" + collection.name + "': expected at least one thread");
  if (count > mapping::most_threads) {
    throw config_error("resize of '" + collection.name + "': expected at most " +
                       std::to_string(mapping::most_threads) + " threads, got " + std::to_string(count));
  }
  return ask(change_request{node_.groups().number(), number, count, {}});
}

std::uint64_t reallocation::request_remap(collection_definition const& collection, mapping const& to) {
  std::uint32_t const number = node_.program().number_of(collection);
  std::vector<node_id> nodes = to.resolve(node_.settings().nodes, collection.name);
  if (!collection.state.empty && collection.state.type == nullptr) {
    throw config_error("remap of '" + collection.name +
                       "': the state of its threads is not a data object and cannot move");
  }
  return ask(change_request{node_.groups().number(), number, 0, std::move(nodes)});
}

std::uint64_t reallocation::request_border(std::int32_t iteration, std::uint64_t call) {
  if (iteration < 1) throw graph_error("iterations are numbered from 1; got " + std::to_string(iteration));
  return ask(border_request{node_.groups().number(), iteration, call});
}

void reallocation::end_of_changes() { node_.outbox().tell(0, border_done{}); }

template <class Request>
std::uint64_t reallocation::ask(Request wanted) {
  {
    scoped_lock const lock(mutex_);
    requests_.emplace(wanted.request, request{});
  }
  node_.outbox().tell(0, wanted);
  return wanted.request;
}

bool reallocation::change_made(std::uint64_t change, execution* waiter, std::optional<held_nodes>* hold) {
  scoped_lock const lock(mutex_);
  auto const found = requests_.find(change);
  if (!found->second.done) {
    found->second.waiter = waiter;
    return false;
  }
  std::string const error = std::move(found->second.error);
  if (hold != nullptr) *hold = std::move(found->second.hold);
  requests_.erase(found);
  if (!error.empty()) throw config_error(error);
  return true;
}

void reallocation::answered(std::uint64_t number, request with) {
  {
    scoped_lock const lock(mutex_);
    request& asked = requests_.at(number);
    std::swap(asked, with);
    asked.done = true;
  }
  node_.wake_caller(with.waiter);
}

void reallocation::handle_change_done(change_done const& message) {
  answered(message.request, {.error = message.error});
}

void reallocation::handle_border_answer(border_answer const& message) {
  answered(message.request,
           {.error = message.error, .hold = message.changes ? std::optional(message.hold) : std::nullopt});
}

std::size_t reallocation::open() {
  scoped_lock const lock(mutex_);
  std::size_t open = 0;
  for (auto const& [change, asked] : requests_) open += asked.done ? 0 : 1;
  return open;
}

// Node 0 decides

/// Lets the allocation decide with the lock held, and does what it says without.
template <class Decide>
void reallocation::decide(Decide const& function) {
  std::vector<allocation::action> actions;
  {
    scoped_lock const lock(mutex_);
    function(*allocation_);
    actions = allocation_->take_actions();
    for (allocation::action const& action : actions) {  // in the order in which it was decided
      if (auto const* launch = std::get_if<allocation::launch_node>(&action)) {
        record_node(launch->node, node_change::launched);
      } else if (auto const* release = std::get_if<allocation::release_node>(&action)) {
        record_node(release->node, node_change::released);
      }
    }
  }
  for (allocation::action const& action : actions) {
    if (auto const* send = std::get_if<allocation::send_control>(&action)) {
      node_.outbox().tell(send->to, send->message);
    } else if (auto const* launch = std::get_if<allocation::launch_node>(&action)) {
      node_.backend().launch(launch->node);
    } else {
      node_.backend().release(std::get<allocation::release_node>(action).node);
    }
  }
}

void reallocation::record_node(node_id node, node_change change) const {
  if (node_.records() != nullptr) node_.records()->node({node, change, node_.backend().now_s()});
}

void reallocation::handle_change_request(change_request const& message) {
  decide([&](allocation& a) { a.handle_change_request(message); });
}
void reallocation::handle_border_request(border_request const& message) {
  {
    scoped_lock const lock(mutex_);
    borders_.push_back(message);
  }
  answer_borders();
}

void reallocation::handle_border_done() {
  {
    scoped_lock const lock(mutex_);
    changing_ = false;
  }
  answer_borders();
}

void reallocation::answer_borders() {
  for (;;) {
    border_request asked{};
    {
      scoped_lock const lock(mutex_);
      if (changing_ || borders_.empty()) return;
      asked = borders_.front();
      borders_.erase(borders_.begin());
      changing_ = true;
    }
    if (!node_.settings().at_borders->measures()) {
      answer(asked, 0);
      continue;
    }
    std::vector<node_id> nodes;
    {
      scoped_lock const lock(mutex_);
      nodes.assign(allocation_->held().begin(), allocation_->held().end());
      if (asked.call != asked_.call) told_work_s_.clear();
      asked_ = asked;
      awaited_work_ = {nodes.begin(), nodes.end()};
    }
    for (node_id node : nodes) node_.outbox().tell(node, work_request{asked.call});
    return;
  }
}

void reallocation::answer(border_request const& asked, double work_s) {
  border_answer const made = answer_to(asked, work_s);
  if (!made.changes) {
    scoped_lock const lock(mutex_);
    changing_ = false;
  }
  node_.outbox().tell(node_of_group(asked.request), made);
}

border_answer reallocation::answer_to(border_request const& asked, double work_s) {
  border_answer answer{asked.request, false, {}, {}};
  try {
    double const now_s = node_.backend().now_s();
    std::optional<decision> const made =
        node_.settings().at_borders->decide(asked.iteration, asked.call, now_s, work_s);
    if (!made) return answer;
    answer.changes = true;
    answer.hold = made->hold;
    if (node_.records() != nullptr) node_.records()->decision({asked.iteration, made->hold.nodes, made->reason, now_s});
  } catch (std::exception const& wrong) {
    answer.error = wrong.what();
  }
  return answer;
}

// Work, for policies that measure

void reallocation::work::add(std::uint64_t of, double work_s) {
  if (of < call) return;  // of a call before the last one: nobody asks for it
  if (of > call) *this = {of, 0};
  done_s += work_s;
}

void reallocation::count_work(std::uint64_t call, double work_s) {
  if (!node_.settings().at_borders->measures()) return;
  scoped_lock const lock(mutex_);
  work_.add(call, work_s);
}

void reallocation::handle_work_request(work_request const& message) {
  double work_s = 0;
  {
    scoped_lock const lock(mutex_);
    if (work_.call == message.call) work_s = work_.done_s;
  }
  node_.outbox().tell(0, work_answer{work_s});
}

void reallocation::handle_work_answer(node_id from, work_answer const& message) {
  {
    scoped_lock const lock(mutex_);
    if (!awaited_work_.contains(from)) return;  // it has left, and has told all
    told_work_s_[from] = message.work_s;
  }
  work_told(from);
}

void reallocation::work_told(node_id by) {
  border_request asked{};
  double all_s = 0;
  {
    scoped_lock const lock(mutex_);
    if (awaited_work_.erase(by) == 0 || !awaited_work_.empty()) return;
    asked = asked_;
    all_s = left_.call == asked.call ? left_.done_s : 0;
    for (auto const& [node, work_s] : told_work_s_) all_s += work_s;
  }
  answer(asked, all_s);
  answer_borders();
}

void reallocation::handle_thread_moved(thread_moved const& message) {
  decide([&](allocation& a) { a.handle_thread_moved(message); });
}
void reallocation::handle_view_adopted(node_id from, view_adopted const& message) {
  decide([&](allocation& a) { a.handle_view_adopted(from, message); });
}
void reallocation::handle_settled(node_id from, settled const& message) {
  decide([&](allocation& a) { a.handle_settled(from, message); });
}
void reallocation::handle_left(node_id from, left const& message) {
  {
    scoped_lock const lock(mutex_);
    left_.add(message.call, message.work_s);
    told_work_s_.erase(from);
  }
  work_told(from);  // it may end before it is asked
  decide([&](allocation& a) { a.handle_left(from, message); });
}
void reallocation::node_joined(node_id node) {
  decide([&](allocation& a) {
    if (recorded_) record_node(node, node_change::joined);
    a.node_joined(node);
  });
}

void reallocation::record_nodes() {
  if (!allocation_ || node_.records() == nullptr) return;
  double const now_s = node_.backend().now_s();
  {
    scoped_lock const lock(mutex_);
    for (node_id held : allocation_->held()) {
      node_.records()->node({held, node_change::launched, now_s});
      node_.records()->node({held, node_change::joined, now_s});
    }
    recorded_ = true;
  }
  for (std::uint32_t c = 0; c < node_.program().collections(); ++c) {
    std::vector<node_id> const nodes = node_.program().first_mapping(c, node_.settings().nodes);
    node_.records()->mapping({c, nodes, now_s});
  }
}

bool reallocation::any_leaves() {
  scoped_lock const lock(mutex_);
  return allocation_->any_leaves();
}

std::string reallocation::describe_wait() {
  scoped_lock const lock(mutex_);
  return allocation_ ? allocation_->describe_wait() : "";
}

// Threads that move

void reallocation::handle_move_thread(move_thread const& message) {
  node_.views().deliver(message.thread, make_mail<move_mail>(message.to));
}

void reallocation::send_thread(dps_thread& thread, node_id to) {
  thread_address const address = thread.address();
  std::shared_ptr<void> const state = thread.take_state();
  static no_state nothing;
  object_type const* const type = node_.program().collection(address.collection).state.type;
  envelope_ptr moved = envelope::make(*type, state ? state.get() : &nothing);
  moved->graph = address.collection;
  moved->operation = state_operation;
  moved->thread = address.index;
  moved->frames.push_back({.group = node_.groups().number()});  // records tell it from others by that
  node_.views().depart(address);  // before the state is on its way: once it is there, the change may end
  node_.delivery().send_to(to, std::move(moved));
}

void reallocation::handle_state(envelope_ptr state) {
  thread_address const address{state->graph, state->thread};
  auto adopted = node_.states().adopt(address, state->object());
  if (!adopted) return;
  node_.views().arrive(address, std::move(*adopted));
  node_.outbox().tell(0, thread_moved{address});
}

bool reallocation::let_in_held() {
  if (held_back_ == 0) return false;
  for (dps_thread* thread : node_.views().threads()) thread->push(make_mail<let_in_mail>());
  return true;
}

// New views

void reallocation::handle_view_update(view_update const& message) {
  if (message.version < views::reading(node_.views())[message.collection].version) {
    return;  // a joining node's first, overtaken by its second
  }
  std::vector<dps_thread*> leaving = node_.views().adopt(message);
  if (record_sink* const sink = node_.records(); sink != nullptr && node_.self() == 0) {
    sink->mapping({message.collection, message.nodes, node_.backend().now_s()});
  }
  {
    scoped_lock const lock(mutex_);
    if (!settling_) settling_.emplace();
    settling_->leaving = std::move(leaving);
  }
  node_.outbox().tell(0, view_adopted{message.collection, message.version, node_.traffic().sent(message.epoch - 1)});
}

// Late objects, leaving threads, leaving nodes

void reallocation::handle_settle(settle const& message) {
  {
    scoped_lock const lock(mutex_);
    if (!settling_) settling_.emplace();
    settling_->asked = message;
    watching_ = true;
  }
  look_whether_settled();
}

void reallocation::arrived(node_id from, std::uint32_t epoch) {
  node_.traffic().count_received(from, epoch);
  if (watching_) look_whether_settled();
}

void reallocation::look_after_transfer() {
  if (watching_) look_whether_settled();
}

void reallocation::look_whether_settled() {
  std::vector<dps_thread*> to_leave;
  std::optional<std::uint32_t> done;
  {
    scoped_lock const lock(mutex_);
    if (settling_ && settling_->asked) {
      bool const all_here = node_.traffic().has_received(settling_->asked->expected, node_.views().epoch() - 1);
      if (all_here && !settling_->ordered) {
        settling_->ordered = true;
        settling_->still_here = settling_->leaving.size();
        to_leave = settling_->leaving;
      }
      if (settling_->ordered && settling_->still_here == 0) {
        done = settling_->asked->collection;
        settling_.reset();
        watching_ = leaving_.has_value();
      }
    }
  }
  for (dps_thread* thread : to_leave) thread->push(make_mail<leave_mail>());
  if (done) {
    node_.views().forget_departed(*done);
    node_.outbox().tell(0, settled{*done});
  }
  look_whether_to_leave();
}

void reallocation::thread_left(dps_thread& thread) {
  thread_address const address = thread.address();
  node_.states().leave(address, thread.take_state());
  node_.views().leave(address);
  {
    scoped_lock const lock(mutex_);
    --settling_->still_here;
  }
  look_whether_settled();
}

void reallocation::handle_leave(leave const& message) {
  {
    scoped_lock const lock(mutex_);
    leaving_ = message.number;
    watching_ = true;
  }
  look_whether_to_leave();
}

void reallocation::look_whether_to_leave() {
  {
    scoped_lock const lock(mutex_);
    if (!leaving_) return;
  }
  if (!node_.groups().empty() || node_.open_requests() > 0 || !node_.outbox().all_sent()) return;
  std::optional<std::uint64_t> number;
  work done;
  {
    scoped_lock const lock(mutex_);
    number = std::exchange(leaving_, std::nullopt);
    if (number) done = std::exchange(work_, {});
  }
  if (number) node_.outbox().tell(0, left{*number, done.call, done.done_s});
}

}  // namespace OVLP_CORE
}  // namespace ovlp
