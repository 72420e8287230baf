// SPDX-License-Identifier: BSD-3-Clause
#include "thread_manager.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <new>
#include <typeinfo>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

#include "expects.hpp"

namespace ovlp {

thread_manager::thread_manager(node_id self, ovlp::program const& program, ovlp::backend& world, node_settings settings)
    : self_(self),
      program_(program),
      world_(world),
      settings_(settings),
      scheduler_(world),
      groups_(self, settings.launch),
      views_(program.collections()),
      loops_(settings.stack_bytes),
      threads_here_(program.collections()),
      traffic_(settings.nodes) {
  if (self_ == 0) allocation_.emplace(program_, settings_.nodes);
}

thread_manager::~thread_manager() = default;

void thread_manager::start(bool joins_later) {
  for (std::uint32_t c = 0; c < program_.collections(); ++c) {
    collection_definition const& collection = program_.collection(c);
    publish(c, 0, collection.initial.resolve(settings_.nodes, collection.name),
            joins_later ? newcomers::come_later : newcomers::with_state);
  }
  set_limits();
  if (allocation_ && recording()) {
    for (node_id node : allocation_->held()) settings_.sink->node({node, true, world_.now_s()});
  }
}

void thread_manager::stop() {
  stopping_ = true;
  scheduler_.wake_all();
}

void thread_manager::unwind() {
  // First, for mail refers to operations.
  for (auto const& thread : threads_) thread->drop_mail();
  {
    std::scoped_lock const lock(structure_);
    for (auto& [thread, mail] : early_) drop(mail);
    early_.clear();
  }
  for (auto const& thread : threads_) {
    for (execution* e : thread->suspended()) execution_threads_.front()->unwind(*e);
  }
}

dps_thread* thread_manager::create(thread_address address, std::shared_ptr<void> state) {
  std::size_t const pool = settings_.execution_threads > 0 ? 0 : address.collection;
  threads_.push_back(std::make_unique<dps_thread>(*this, address, pool, std::move(state)));
  ++threads_here_[address.collection];
  thread_at_[{address.collection, address.index}] = threads_.back().get();
  return threads_.back().get();
}

void thread_manager::publish(std::uint32_t collection, std::uint32_t version, std::vector<node_id> nodes,
                             newcomers they) {
  std::vector<dps_thread*> owned;
  {
    std::scoped_lock const lock(structure_);
    auto next = std::make_unique<collection_view>();
    next->version = version;
    next->node_of = std::move(nodes);
    next->local.resize(next->node_of.size());
    for (std::uint32_t i = 0; i < next->node_of.size(); ++i) {
      auto const known = thread_at_.find({collection, i});
      bool const mine = next->node_of[i] == self_;
      if (known != thread_at_.end()) {
        next->local[i] = known->second;
      } else if (mine && they != newcomers::come_later) {
        bool const with_state = they == newcomers::with_state;
        dps_thread* const made = create({collection, i}, with_state ? make_state({collection, i}) : nullptr);
        next->local[i] = made;
        // Its mail before anyone else's.
        bool own = !with_state && made->add(new state_mail(state_mail::what_type::make));
        if (auto early = early_.extract({collection, i})) {
          while (!early.mapped().empty()) own = made->add(early.mapped().pop()) || own;
        }
        if (own) owned.push_back(made);
      }
    }
    views_[collection].store(next.get(), std::memory_order_release);
    all_views_.push_back(std::move(next));
  }
  for (dps_thread* thread : owned) thread->own();
}

std::shared_ptr<void> thread_manager::make_state(thread_address of) {
  std::scoped_lock const lock(state_functions_);
  try {
    return program_.collection(of.collection).state.make(of.index);
  } catch (...) {
    state_failed("the state's maker", of, std::current_exception());
    return nullptr;
  }
}

/// The user's functions for states run in no operation.
void thread_manager::state_failed(char const* function, thread_address thread, std::exception_ptr what) {
  failure told = describe(std::move(what));
  told.operation = function;
  told.thread = program_.name(thread);
  told.node = node_name(self_);
  world_.fail(told);
}

/// As many operations may run as there are threads for them, and execution threads for as many.
void thread_manager::set_limits() {
  std::vector<execution_thread*> started;
  {
    std::scoped_lock const lock(structure_);
    if (settings_.execution_threads > 0) {
      scheduler_.set_limit(0, settings_.execution_threads);
    } else {
      for (std::size_t c = 0; c < threads_here_.size(); ++c)
        scheduler_.set_limit(c, std::min(threads_here_[c], settings_.cores));
    }
    while (execution_threads_.size() < scheduler_.total_limit()) {
      execution_threads_.push_back(std::make_unique<execution_thread>(*this, loops_, execution_threads_.size()));
      started.push_back(execution_threads_.back().get());
    }
  }
  for (execution_thread* thread : started) world_.start(*thread);
}

// An object's way

namespace {

/// Marks the calling thread as using a view, so that a new one counts as adopted only when no thread uses the old.
class sending_mark {
 public:
  explicit sending_mark(std::mutex& outside) {
    if (scheduler::self() != nullptr) {
      scheduler::self()->sending.store(true);
    } else {
      outside_ = std::unique_lock(outside);
    }
  }
  sending_mark(sending_mark const&) = delete;
  sending_mark& operator=(sending_mark const&) = delete;
  ~sending_mark() {
    if (!outside_) scheduler::self()->sending.store(false, std::memory_order_release);
  }

 private:
  std::unique_lock<std::mutex> outside_;
};

}  // namespace

void thread_manager::send(edge_definition const& edge, envelope_ptr object, std::size_t sender) {
  std::uint32_t const collection = program_.graph(object->graph).collection_of[edge.target];
  dps_thread* owned = nullptr;
  bool leaving = false;
  {
    sending_mark const mark(outside_sending_);
    std::uint32_t const epoch = epoch_;
    collection_view const& now = view(collection);
    frame const& group = object->frames.back();
    std::size_t const index = edge.route.kind == route_kind::least_loaded
                                  ? groups_.least_loaded(group.group, group.place, now.node_of.size())
                                  : choose(edge, *object, {now.node_of.size(), sender, group.place, group.opener});
    object->thread = static_cast<std::uint32_t>(index);
    node_id const node = index < now.node_of.size() ? now.node_of[index] : leaving_opener(edge, *object);
    if (node != self_) {
      transmit(node, std::move(object), epoch);
    } else if (index >= now.node_of.size()) {
      leaving = true;
    } else if (now.local[index]->add(object.release())) {
      owned = now.local[index];
    }
  }
  if (owned != nullptr) owned->own();
  if (leaving) deliver(std::move(object));
}

/// The node of an opener that is no longer in the view: it leaves when its group has been closed there.
node_id thread_manager::leaving_opener(edge_definition const& edge, envelope const& object) const {
  if (is_closer(program_.operation(object.graph, object.operation).kind)) {
    return node_of_group(object.frames.back().group);
  }
  graph_definition const& graph = *program_.graph(object.graph).definition;
  throw graph_error("graph '" + graph.name + "', edge to " + graph.describe(edge.target) + ": the opener, thread " +
                    std::to_string(object.thread) + " of collection '" + graph.operations[edge.target].threads->name +
                    "', has left");
}

std::size_t thread_manager::choose(edge_definition const& edge, envelope& object, routing const& now) const {
  try {
    return edge.route(object.object(), now);
  } catch (graph_error const& wrong) {
    graph_definition const& graph = *program_.graph(object.graph).definition;
    throw graph_error("graph '" + graph.name + "', edge to " + graph.describe(edge.target) + " in collection '" +
                      graph.operations[edge.target].threads->name + "': " + wrong.what());
  }
}

void thread_manager::transmit(node_id to, envelope_ptr object, std::uint32_t epoch) {
  object->epoch = epoch;
  if (recording()) {
    settings_.sink->transfer({origin_of(object->frames), self_, to, object->type->byte_count(object->object())});
  }
  traffic_[to].sent[epoch % 2].fetch_add(1, std::memory_order_relaxed);
  ++in_transfer_;
  envelope_ptr now;
  {
    std::scoped_lock const lock(sending_);
    now = send_queues_[to].add(std::move(object), settings_.concurrent_per_pair);
  }
  hand_over(to, std::move(now));
}

void thread_manager::hand_over(node_id to, envelope_ptr object) {
  while (object && world_.transmit(self_, to, std::move(object))) object = transfer_ended(to);
}

envelope_ptr thread_manager::transfer_ended(node_id to) {
  --in_transfer_;
  std::scoped_lock const lock(sending_);
  return send_queues_[to].next();
}

void thread_manager::sent(node_id to) {
  hand_over(to, transfer_ended(to));
  if (watching_arrivals_) look_whether_settled();
}

void thread_manager::return_result(envelope_ptr result) {
  node_id const caller = node_of_group(result->frames.back().group);
  if (caller == self_) {
    receive(self_, std::move(result));
    return;
  }
  transmit(caller, std::move(result), epoch_);
}

void thread_manager::receive(node_id from, envelope_ptr object) {
  bool const result = object->operation == result_operation;
  std::uint32_t const epoch = object->epoch;
  if (object->operation == state_operation) {
    receive_state(std::move(object));
  } else if (result) {
    take_result(std::move(object));
  } else {
    deliver(std::move(object));
  }
  if (from != self_) arrived(from, epoch);
}

/// An object, or a total, has been delivered.
void thread_manager::arrived(node_id from, std::uint32_t epoch) {
  traffic_[from].received[epoch % 2].fetch_add(1);
  if (watching_arrivals_) look_whether_settled();
}

void thread_manager::take_result(envelope_ptr result) {
  group_id const call = result->frames.back().group;
  execution* waiter = nullptr;
  {
    std::scoped_lock const lock(calls_mutex_);
    auto const found = calls_.find(call);
    if (found == calls_.end()) return;
    found->second.result = std::move(result);
    waiter = std::exchange(found->second.waiter, nullptr);
  }
  wake_caller(waiter);
}

void thread_manager::deliver(envelope_ptr object) {
  std::uint32_t const collection = program_.graph(object->graph).collection_of[object->operation];
  thread_address const to{collection, object->thread};
  deliver_mail(to, object.release());
}

void thread_manager::deliver_mail(thread_address to, mail* m) {
  collection_view const& now = view(to.collection);
  dps_thread* thread = to.index < now.local.size() ? now.local[to.index] : nullptr;
  if (thread == nullptr) {
    // Not in this view: it leaves, or it is about to come.
    std::scoped_lock const lock(structure_);
    auto const known = thread_at_.find({to.collection, to.index});
    if (known == thread_at_.end()) {
      early_[{to.collection, to.index}].push(m);
      return;
    }
    thread = known->second;
  }
  thread->push(m);
}

/// An operation waits for its call or change; without one, the main program does.
void thread_manager::wake_caller(execution* waiter) {
  if (waiter != nullptr) {
    resume(waiter);
  } else {
    world_.call_ended();
  }
}

void thread_manager::resume(execution* waiter) {
  if (waiter != nullptr) waiter->thread().push(&waiter->resume);
}

// Groups

void thread_manager::deliver_control(node_id to, control const& message, group_id call) {
  if (to == self_) {
    receive(self_, message);
    return;
  }
  if (recording()) settings_.sink->control_message(call);
  world_.transmit(self_, to, message);
}

void thread_manager::deliver_total(group_total const& total, group_id call) {
  std::size_t const index = total.closer.index;
  dps_thread* here = nullptr;
  bool owned = false;
  {
    sending_mark const mark(outside_sending_);
    std::uint32_t const epoch = epoch_;
    collection_view const& now = view(total.closer.collection);
    if (index < now.node_of.size() && now.node_of[index] != self_) {
      transmit(now.node_of[index], total, call, epoch);
      return;
    }
    here = index < now.local.size() ? now.local[index] : nullptr;
    owned = here != nullptr && here->add(new total_mail(total));
  }
  if (owned) here->own();
  if (here == nullptr) deliver_mail(total.closer, new total_mail(total));
}

/// A change of collections waits for totals of earlier epochs, as it does for objects.
void thread_manager::transmit(node_id to, group_total total, group_id call, std::uint32_t epoch) {
  total.epoch = epoch;
  traffic_[to].sent[epoch % 2].fetch_add(1, std::memory_order_relaxed);
  deliver_control(to, total, call);
}

/// What has come for a thread that has moved away.
void thread_manager::forward(node_id to, envelope_ptr object) {
  sending_mark const mark(outside_sending_);
  transmit(to, std::move(object), epoch_);
}
void thread_manager::forward(node_id to, group_total const& total) {
  sending_mark const mark(outside_sending_);
  transmit(to, total, 0, epoch_);
}

void thread_manager::end_group(std::uint32_t graph, std::size_t closer, group_id group, std::uint64_t count,
                               group_id call) {
  if (auto const known = groups_.end(group, count)) {
    deliver_total({*known, group, count, graph, static_cast<std::uint32_t>(closer)}, call);
  }
}

void thread_manager::send_empty(std::uint32_t graph, port_reference port, frames const& opened, std::size_t sender,
                                std::int32_t iteration) {
  graph_definition const& definition = *program_.graph(graph).definition;
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
  std::uint32_t const collection = program_.graph(graph).collection_of[closer];
  frame const& group = opened.back();
  std::size_t const index = (*route)(nullptr, routing{size_of(collection), sender, group.place, group.opener});
  deliver_total({{collection, static_cast<std::uint32_t>(index)},
                 group.group,
                 0,
                 graph,
                 static_cast<std::uint32_t>(closer),
                 {opened.begin(), opened.end()},
                 iteration},
                origin_of(opened));
}

void thread_manager::give_credit(group_id group, std::uint32_t place, group_id call) {
  deliver_control(node_of_group(group), credit{group, place}, call);
}

std::optional<std::uint64_t> thread_manager::closer_at(group_id group, thread_address closer, group_id call) {
  node_id const home = node_of_group(group);
  if (home != self_) {
    deliver_control(home, closer_here{group, closer, call}, call);
    return std::nullopt;
  }
  group_table::closer_answer const answer = groups_.closer_at(group, closer);
  if (answer.total) return answer.total;
  if (answer.conflict || answer.unknown) {
    failure what;
    what.kind = failure::kind_type::graph;
    what.type = "ovlp::graph_error";
    what.node = node_name(self_);
    what.text = "the objects of one group (" + group_name(group) + ") reached two closer threads: " +
                (answer.conflict ? program_.name(*answer.conflict) : std::string("one that has ended")) + " and " +
                program_.name(closer) + "; the routes to a merge or stream must give one thread for a whole group";
    world_.fail(what);
  }
  return std::nullopt;
}

void thread_manager::receive(node_id from, control const& message) {
  std::visit([&](auto const& m) { take(from, m); }, message);
}

void thread_manager::take(node_id, closer_here const& message) {
  if (auto const total = closer_at(message.group, message.closer, message.call)) {
    deliver_total({message.closer, message.group, *total, 0, 0}, message.call);
  }
}

void thread_manager::take(node_id from, group_total const& message) {
  deliver_mail(message.closer, new total_mail(message));
  arrived(from, message.epoch);
}

void thread_manager::take(node_id, credit const& message) { resume(groups_.give_back(message.group, message.place)); }

// Calls

group_id thread_manager::call(graph_definition const& graph, object_type const& type, void* object, std::size_t sender,
                              std::int32_t iteration, std::optional<group_id> origin) {
  std::uint32_t const number = program_.number_of(graph);
  group_id const call = groups_.number();
  {
    std::scoped_lock const lock(calls_mutex_);
    calls_.emplace(call, call_record{});
  }
  envelope_ptr made = envelope::make(type, object);
  made->graph = number;
  made->operation = static_cast<std::uint32_t>(graph.entry->target);
  made->iteration = iteration;
  made->frames.push_back(call_frame(call, origin.value_or(call), static_cast<std::uint32_t>(sender), iteration));
  send(*graph.entry, std::move(made), sender);
  return call;
}

thread_manager::call_record& thread_manager::open_call(group_id call) {
  auto const found = calls_.find(call);
  if (found == calls_.end()) throw graph_error("the result of call " + group_name(call) + " has been taken already");
  return found->second;
}

bool thread_manager::result_there(group_id call, execution& waiter) {
  std::scoped_lock const lock(calls_mutex_);
  call_record& record = open_call(call);
  if (record.result) return true;
  record.waiter = &waiter;
  return false;
}

bool thread_manager::result_there(group_id call) {
  std::scoped_lock const lock(calls_mutex_);
  return open_call(call).result != nullptr;
}

envelope_ptr thread_manager::take_result(group_id call) {
  std::scoped_lock const lock(calls_mutex_);
  auto const found = calls_.find(call);
  envelope_ptr result = std::move(found->second.result);
  calls_.erase(found);
  return result;
}

std::size_t thread_manager::open_requests() {
  std::scoped_lock const lock(calls_mutex_, structure_);
  auto const calls =
      std::count_if(calls_.begin(), calls_.end(), [](auto const& call) { return call.second.result == nullptr; });
  auto const changes =
      std::count_if(changes_.begin(), changes_.end(), [](auto const& change) { return !change.second.done; });
  return static_cast<std::size_t>(calls + changes);
}

// Failures

bool thread_manager::holds(execution& waiter) {
  try {
    return (*waiter.condition)();
  } catch (...) {
    operation_failed(waiter, std::current_exception());
    return false;
  }
}

void thread_manager::operation_failed(execution const& operation, std::exception_ptr what) {
  failure told = describe(std::move(what));
  told.operation = operation.definition().name;
  told.thread = program_.name(operation.thread().address());
  told.node = node_name(self_);
  world_.fail(told);
}

failure thread_manager::describe(std::exception_ptr what) {
  failure told;
  try {
    std::rethrow_exception(std::move(what));
  } catch (std::exception const& e) {
    told.type = type_name(typeid(e));
    told.text = dynamic_cast<std::bad_alloc const*>(&e) != nullptr ? "memory ran out" : e.what();
  } catch (...) {
    std::type_info const* const thrown = abi::__cxa_current_exception_type();
    told.type = thrown != nullptr ? type_name(*thrown) : "unknown type";
    told.text = "an exception that is not a std::exception";
  }
  return told;
}

// Records

void thread_manager::record_step(execution const& operation, std::int32_t iteration, double start_s, double computed_s,
                                 double work_s) {
  settings_.sink->step({operation.call(), self_, operation.graph(), operation.number(),
                        operation.thread().address().index, iteration, start_s, world_.now_s(), computed_s, work_s});
}

void thread_manager::record_kernel(group_id call, kernel_call const& what, double work_s) {
  settings_.sink->kernel({call, self_, what.name, what.sizes, what.first, work_s});
}

std::vector<std::string> thread_manager::waiting() {
  std::scoped_lock const lock(structure_);
  std::vector<std::string> list;
  for (auto const& thread : threads_) {
    for (execution const* e : thread->suspended()) list.push_back(e->describe() + " " + e->describe_wait());
  }
  for (auto const& [thread, queue] : early_) {
    list.push_back("what has come to " + node_name(self_) + " for " + program_.name({thread.first, thread.second}) +
                   " waits for it to come there, too");
  }
  if (allocation_) {
    std::scoped_lock const allocation_lock(allocation_mutex_);
    if (std::string const wait = allocation_->describe_wait(); !wait.empty()) list.push_back(wait);
  }
  return list;
}

}  // namespace ovlp
