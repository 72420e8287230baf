// SPDX-License-Identifier: BSD-3-Clause
#include "steps/execution.hpp"

#include <functional>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/mix.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/change_requests.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "collections/views.hpp"
#include "exchange/delivery.hpp"
#include "exchange/group_messages.hpp"
#include "exchange/group_table.hpp"
#include "failures.hpp"
#include "steps/dps_thread.hpp"
#include "steps/loop_pool.hpp"
#include "steps/scheduler.hpp"
#include "steps/structural_name.hpp"

namespace ovlp::OVLP_INLINE_CORE {
namespace {

/// "group 2@node0 of split 'cut'"
std::string group_of_opener(program const& known, std::uint32_t graph, frame const& opened) {
  return "group " + group_name(opened.group) + " of " + known.opener(graph, opened.port);
}

}  // namespace

gathering::group_state& gathering::find_or_add(frame const& opened) {
  auto const found = std::find_if(groups_.begin(), groups_.end(),
                                  [&](group_state const& g) { return g.opened.group == opened.group; });
  return found == groups_.end() ? groups_.emplace_back(group_state{opened, 0, std::nullopt}) : *found;
}

bool gathering::add(envelope_ptr object) {
  std::size_t const before = groups_.size();
  ++find_or_add(object->innermost()).received;
  inbox_.push(as_mail(std::move(object)));
  return groups_.size() > before;
}

void gathering::set_total(frame const& opened, std::uint64_t total) { find_or_add(opened).total = total; }

bool gathering::complete() const {
  return groups_.size() == expected_ &&
         std::all_of(groups_.begin(), groups_.end(), [](group_state const& g) { return g.total == g.received; });
}

std::int32_t gathering::opened_in() const {
  std::int32_t least = groups_.empty() ? no_iteration : groups_.front().opened.iteration;
  for (group_state const& g : groups_) least = std::min(least, g.opened.iteration);
  return least;
}

std::string gathering::describe_missing(program const& known, std::uint32_t graph) const {
  std::string text;
  for (group_state const& g : groups_) {
    text += (text.empty() ? "" : ", ") + group_of_opener(known, graph, g.opened) + ": " + std::to_string(g.received) +
            " received, " + (g.total ? std::to_string(*g.total - g.received) + " missing" : "total not known");
  }
  if (groups_.size() < expected_) {
    text += (text.empty() ? "" : ", ") + std::to_string(expected_ - groups_.size()) + " more to be opened";
  }
  return text;
}

execution::execution(thread_manager& manager)
    : resume(mail::kind_type::resume, *this), start(mail::kind_type::start, *this), manager_(manager) {}

execution::execution(dps_thread& thread, std::uint32_t graph, std::uint32_t operation, ovlp::frames enclosing)
    : execution(thread.manager()) {
  set_operation(thread, graph, operation);
  gathering_ = std::make_unique<ovlp::gathering>(definition_->closes.size(), enclosing);
  frames_ = gathering_->enclosing();
  bool const posts = is_opener(definition_->kind);
  if (posts && manager_.settings().barriers) held_posts_ = std::make_unique<std::vector<held_post>>();
}

void execution::begin(dps_thread& thread, envelope_ptr input) {
  set_operation(thread, input->graph, input->operation);
  object_ = std::move(input);
  frames_ = object_->frames();
  iteration_ = object_->iteration;
  has_new_input_ = true;
}

void execution::set_operation(dps_thread& thread, std::uint32_t graph, std::uint32_t operation) {
  thread_ = &thread;
  graph_ = graph;
  operation_ = operation;
  definition_ = &manager_.program().operation(graph_, operation_);
  if (definition_->posts()) opened_.resize(definition_->ports.size());
}

void execution::clear() {
  of_thread.unlink();
  object_.reset();
  frames_ = {};
  opened_.clear();
  open_calls_.clear();
  result_.reset();
  waiting_.reset();
  resuming = iteration_set_ = has_worked_ = saw_end_ = false;
}

template <class Function>
bool execution::succeeds(Function const& function) const {
  try {
    function();
    return true;
  } catch (cancelled const&) {
  } catch (...) {
    failed(std::current_exception());
  }
  return false;
}

void execution::run(execution_thread& host) {
  host_ = &host;
  host.loop()->operation = this;
  show(host.activity());
  if (gathering_) iteration_ = gathering_->begins_in();
  begin_step();
  bool const returned = succeeds([&] {
    definition_->body(*this);
    if (!opened_.empty() || !open_calls_.empty()) await_what_it_started();
  });
  host_->loop()->operation = nullptr;
  if (returned) {
    host_->end(*this);
  } else {
    host_->activity().ends();
    thread_->forget(*this);
  }
}

void execution::end() {
  host_->loop()->operation = this;
  step_ended();
  succeeds([&] {
    // Before a result leaves, so that a call never ends with half a group.
    if (gathering_ && !saw_end_)
      throw graph_error("the operation ended before wait() had given all objects of its groups");
    if (result_) send_result();
    if (!opened_.empty()) close_groups();
    if (definition_->ends_path) end_path();
  });
  host_->loop()->operation = nullptr;
  host_->activity().ends();
}

void execution::show(activity& on) const {
  thread_address const at = thread_->address();
  on.begins(*definition_, manager_.program().collection(at.collection).name, at.index, manager_.self());
}

inline void execution::expect_running() const {
  if (scheduler::self() != host_) [[unlikely]]
    refuse_other_thread();
  if (manager_.stopping()) [[unlikely]]
    throw cancelled{};
}

void execution::refuse_other_thread() const {
  throw graph_error("post, wait and kernels are for the operation itself, but another thread has called one of " +
                    describe());
}

inline void execution::step_ended() {
  host_->activity().next_step();
  has_worked_ = false;
  if (manager_.records() != nullptr) [[unlikely]]
    record_step();
  if (host_->costs.on() && host_->costs.step_ended()) [[unlikely]]
    host_->tell_costs();
  if (memory_watch* const watch = manager_.memory()) [[unlikely]]
    thread_->hold_state(*watch);
}

inline void execution::end_step(step_end how) {
  expect_running();
  manager_.backend().end_step(how);
  step_ended();
}

/// The step that has ended; the next one begins.
void execution::record_step() {
  record_sink& sink = *manager_.records();
  backend& world = manager_.backend();
  double const end_s = world.now_s(), computed_s = world.computed_s() - step_start_computed_s_;
  double const stretch = computed_s > 0 ? (end_s - step_start_s_) / computed_s : 0;
  double work_s = 0;
  for (recorded_kernel const& k : host_->kernels) {
    double const start_s = step_start_s_ + stretch * work_s;
    work_s += k.took.work_s;
    sink.kernel(
        {where(), k.name, k.sizes.values(), start_s, step_start_s_ + stretch * work_s, k.took.work_s, k.took.is_mean});
  }
  host_->kernels.clear();
  object_key const input = has_new_input_ ? object_->key() : object_key{};
  has_new_input_ = false;
  sink.step({where(), input, step_start_s_, end_s, computed_s, work_s});
  begin_step();
}

operation_place execution::where() const {
  return {call(), manager_.self(), graph_, operation_, thread_->address().index, iteration_};
}

void execution::begin_step() {
  if (manager_.records() == nullptr) return;
  step_start_s_ = manager_.backend().now_s();
  step_start_computed_s_ = manager_.backend().computed_s();
}

void execution::wake() { thread_->push(mail_ptr(&resume)); }

void execution::failed(std::exception_ptr what) const {
  fail(manager_, definition_->name, thread_->address(), std::move(what));
}

void execution::suspend(wait_cause what) {
  record_sink* const sink = manager_.records();
  double const start_s = sink == nullptr ? 0 : manager_.backend().now_s();
  waiting_ = what;
  host_->suspend(*this);
  show(host_->activity());
  waiting_.reset();
  resuming = false;
  if (manager_.stopping()) throw cancelled{};
  if (sink != nullptr) sink->wait({where(), what, start_s, manager_.backend().now_s()});
  begin_step();
}

std::uint64_t execution::name_for_numbers(std::size_t port) const {
  if (manager_.settings().orders == nullptr) return 0;
  return base::mix(name_of(*this, opener_of_group(frames_.front().group)), port);
}

template <class There>
void execution::wait_for(There const& there, wait_cause what) {
  if (!there()) {
    do suspend(what);
    while (!there());
  } else if (manager_.settings().orders != nullptr) {
    wake();  // that it goes on has a turn among what comes to its thread
    suspend(what);
  }
}

envelope_ptr execution::addressed(envelope_ptr made, std::size_t target) const {
  made->graph = graph_;
  made->operation = static_cast<std::uint32_t>(target);
  made->iteration = iteration_;
  return made;
}

frame execution::opened_frame(group_id group, std::size_t port, std::uint32_t place) const {
  std::uint32_t const first_port = manager_.program().graph(graph_).first_port_of[operation_];
  return {group, place, first_port + static_cast<std::uint32_t>(port), thread_->address().index,
          gathering_ ? gathering_->opened_in() : object_->iteration};
}

void execution::post(std::size_t port, object_type const& type, void* object) {
  end_step(step_end::posts);
  port_definition const& definition = definition_->ports[port];
  if (definition.discarded) {
    throw graph_error(manager_.program().graph(graph_).definition->describe(port_reference{operation_, port}) +
                      " is discarded: nothing may be posted there");
  }
  opened_group& opened = opened_[port];
  if (opened.group == 0) {
    auto const made = manager_.groups().open(definition, thread_->address(), name_for_numbers(port));
    opened.group = made.group;
    opened.side = definition.credited() ? nullptr : made.side;  // else each object gives its credit
  }
  bool const holds = held_posts_ && !saw_end_ && !definition.side;
  bool const takes_place = definition.credited() && !holds;
  if (takes_place) take_place_in_window(opened.group);
  try {
    frame const innermost = opened_frame(opened.group, port, opened.count);
    envelope_ptr made = addressed(envelope::make(type, object, frames_, innermost), definition.edge->target);
    made->side = opened.side;
    if (holds) [[unlikely]] {
      held_posts_->push_back({port, std::move(made)});
    } else {
      send(port, *definition.edge, std::move(made));
    }
  } catch (...) {  // its route leads nowhere: the operation may catch that, and go on
    manager_.groups().take_back(opened.group, opened.count, takes_place);
    if (opened.count == 0) opened = {};
    throw;
  }
  ++opened.count;
}

void execution::take_place_in_window(group_id group) {
  waiting_group_ = group;
  wait_for([&] { return manager_.groups().acquire(group, *this); }, wait_cause::window);
}

/// As a split does that follows a merge: all has been taken in.
void execution::send_held_posts() {
  for (held_post& held : std::exchange(*held_posts_, {})) {
    port_definition const& definition = definition_->ports[held.port];
    if (definition.credited()) take_place_in_window(opened_[held.port].group);
    send(held.port, *definition.edge, std::move(held.object));
  }
}

void execution::send(std::size_t port, edge_definition const& edge, envelope_ptr object) {
  tell_object(*this, *object);
  std::uint32_t const place = object->innermost().place;
  std::optional<post_record> record;
  if (manager_.records() != nullptr) [[unlikely]]
    record = post_record{where(), static_cast<std::uint32_t>(port), object->key(), 0, 0, 0};
  bool const stays =
      manager_.delivery().send(edge, std::move(object), thread_->address().index, place, record ? &*record : nullptr);
  if (stays && host_->costs.on()) [[unlikely]]
    host_->costs.object_stayed();
}

void execution::finish(object_type const& type, void* object) {
  auto const& edge = definition_->ports[0].edge;
  result_ = addressed(envelope::make(type, object, frames_), edge ? edge->target : result_operation);
  if (!gathering_) result_->side = object_->side;
}

void execution::send_result() {
  if (gathering_ && !iteration_set_) iteration_ = gathering_->opened_in();
  result_->iteration = iteration_;
  if (result_->operation != result_operation) {
    send(0, *definition_->ports[0].edge, std::move(result_));
  } else {
    tell_object(*this, *result_);
    manager_.calls().answer(std::move(result_));
  }
}

/// What it has posted on side has been handled, and its calls have ended: what follows from it has nothing under way.
void execution::await_what_it_started() {
  auto const is_side = [&](std::size_t p) { return opened_[p].group != 0 && definition_->ports[p].side; };
  bool waits = !open_calls_.empty();
  for (std::size_t p = 0; p < opened_.size(); ++p) waits = waits || is_side(p);
  if (!waits) return;
  end_step(step_end::wait);
  for (std::size_t p = 0; p < opened_.size(); ++p) {
    if (is_side(p)) manager_.group_messages().end_side(opened_[p].group, opened_[p].count, call());
  }
  for (std::size_t p = 0; p < opened_.size(); ++p) {
    if (!is_side(p)) continue;
    waiting_group_ = opened_[p].group;
    wait_for([&] { return manager_.groups().all_handled(waiting_group_, *this); }, wait_cause::handled);
  }
  while (!open_calls_.empty()) await_call(open_calls_.back());
}

/// The object that it was started by, or the group that it closes, is of a path that ends here.
void execution::end_path() {
  if (frames_.size() > 1) {
    manager_.group_messages().give_handled(graph_, frames_.back(), gathering_ ? nullptr : object_->side, call());
    return;
  }
  detail::nothing nothing;
  result_ = addressed(envelope::make(type_of<detail::nothing>(), &nothing, frames_), result_operation);
  send_result();
}

void execution::close_groups() {
  for (std::size_t p = 0; p < opened_.size(); ++p) {
    port_definition const& definition = definition_->ports[p];
    if (!definition.closer) continue;
    if (opened_[p].group != 0) {
      manager_.group_messages().end(graph_, *definition.closer, opened_[p].group, opened_[p].count, call());
    } else {
      std::vector<frame> enclosing(frames_.begin(), frames_.end());
      enclosing.push_back(opened_frame(manager_.groups().number(name_for_numbers(p)), p, 0));
      manager_.group_messages().end_empty(graph_, {operation_, p}, std::move(enclosing), thread_->address().index,
                                          iteration_);
    }
  }
}

void* execution::wait() {
  end_step(step_end::wait);
  object_.reset();
  for (;;) {
    if (gathering_->has_object()) {
      object_ = gathering_->take();
      has_new_input_ = true;
      if (!iteration_set_) iteration_ = object_->iteration;
      frame const& opened = object_->innermost();
      if (manager_.program().port(graph_, opened.port).credited())
        manager_.group_messages().give_credit(opened.group, opened.place, call());
      return object_->object();
    }
    if (gathering_->complete()) {
      saw_end_ = true;
      if (held_posts_) [[unlikely]]
        send_held_posts();
      return nullptr;
    }
    if (!thread_->take_in_next()) suspend(wait_cause::object);
  }
}

std::size_t execution::closed_port() const {
  if (!object_) return 0;
  auto const& first_port_of = manager_.program().graph(graph_).first_port_of;
  auto const& closes = definition_->closes;
  auto const is_its = [&](port_reference p) {
    return std::size_t{first_port_of[p.operation]} + p.port == object_->innermost().port;
  };
  return static_cast<std::size_t>(std::find_if(closes.begin(), closes.end(), is_its) - closes.begin());
}

void execution::keep_input(std::shared_ptr<void const> copy) {
  for (port_definition const& port : definition_->ports) {
    if (!port.closer) continue;
    auto const closer = static_cast<std::uint32_t>(*port.closer);
    if (manager_.program().operation(graph_, closer).opened != nullptr) thread_->keep_opened(closer, *this, copy);
  }
}

std::shared_ptr<void const> execution::opened() { return thread_->take_opened(*this); }

void execution::wait_until(function_ref<bool()> until) {
  end_step(step_end::wait);
  while (!until()) {  // what was true when it was found may have changed before this goes on
    condition = &until;
    thread_->add_waiter(*this);
    suspend(wait_cause::condition);
    condition = nullptr;
  }
}

void execution::kernel(std::string_view name, kernel_sizes const& sizes, function_ref<void()> body, bool always_runs) {
  expect_running();
  has_worked_ = true;
  ovlp::backend& world = manager_.backend();
  record_sink* const without_records = manager_.settings().kernels;
  bool const recorded = manager_.records() != nullptr;
  double const before_s = without_records == nullptr ? 0 : world.computed_s() - world.aside_s();
  auto const shown = [&] {  // while it runs: where it is charged it does not
    host_->activity().begins_kernel(name);
    body();
    host_->activity().ends_kernel();
  };
  kernel_time const took = world.kernel({name, sizes.values(), manager_.self(), thread_->address(), shown,
                                         recorded || without_records != nullptr, always_runs});
  if (without_records != nullptr) {
    without_records->kernel({where(), name, sizes.values(), 0, 0, took.work_s, took.is_mean});
    if (host_->costs.on()) host_->costs.leave_out(world.computed_s() - world.aside_s() - before_s);
  } else if (recorded) {
    if (host_->costs.on()) host_->costs.leave_out(took.work_s);
    host_->kernels.push_back({std::string(name), sizes, took});
    manager_.reallocation().count_work(call(), took.work_s);
  }
}

void execution::shares(std::string_view memory) { touch(part::program, 0, std::hash<std::string_view>()(memory)); }

void execution::set_iteration(std::int32_t iteration) {
  if (iteration < 1) throw graph_error("iterations are numbered from 1; got " + std::to_string(iteration));
  if (has_worked_ && iteration != iteration_) end_step(step_end::iteration);  // what was done belongs to the last one
  iteration_ = iteration;
  iteration_set_ = true;
}

std::uint64_t execution::begin_call(graph_definition const& graph, object_type const& type, void* object) {
  end_step(step_end::wait);
  std::uint64_t const made = manager_.calls().begin(graph, type, object, thread_->address().index, iteration_, call(),
                                                    name_for_numbers(definition_->ports.size()));
  open_calls_.push_back(made);
  return made;
}

void execution::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  end_step(step_end::wait);
  envelope_ptr const result = await_call(call);
  type.move(result_storage, result->object());
}

envelope_ptr execution::await_call(group_id call) {
  waiting_group_ = call;
  wait_for([&] { return manager_.calls().result_there(call, this); }, wait_cause::call);
  std::erase(open_calls_, call);
  return manager_.calls().take_result(call);
}

void execution::resize(collection_definition const& collection, std::size_t count) {
  end_step(step_end::wait);
  wait_for_change(manager_.change_requests().resize(collection, count));
}

void execution::remap(collection_definition const& collection, mapping const& to) {
  end_step(step_end::wait);
  wait_for_change(manager_.change_requests().remap(collection, to));
}

std::optional<held_nodes> execution::end_of_iteration(std::int32_t iteration) {
  end_step(step_end::wait);
  std::optional<held_nodes> hold;
  wait_for_change(manager_.change_requests().border(iteration, call()), &hold);
  return hold;
}

void execution::end_of_changes() {
  end_step(step_end::wait);
  manager_.change_requests().end_of_changes();
}

void execution::wait_for_change(std::uint64_t change, std::optional<held_nodes>* hold) {
  wait_for([&] { return manager_.change_requests().done(change, this, hold); }, wait_cause::change);
}

void* execution::state() { return thread_->state(); }
std::size_t execution::index() const { return thread_->address().index; }
std::size_t execution::size() const { return manager_.views().size(thread_->address().collection); }
std::size_t execution::node() const { return manager_.self(); }
double execution::now_s() const { return manager_.backend().now_s() - manager_.settings().start_s; }

std::string execution::describe() const {
  return std::string(kind_name(definition_->kind)) + " '" + definition_->name + "' in " +
         manager_.program().name(thread_->address()) + " on " + node_name(manager_.self());
}

std::string execution::describe_group() const {
  frame const& in = frames_.back();
  return frames_.size() > 1 ? group_of_opener(manager_.program(), graph_, in) : "call " + group_name(in.group);
}

std::string execution::describe_wait() const {
  if (!waiting_) return "does not wait";
  switch (*waiting_) {
    case wait_cause::object: return "waits for an object: " + gathering_->describe_missing(manager_.program(), graph_);
    case wait_cause::window: return "waits at the window of its group " + group_name(waiting_group_);
    case wait_cause::condition: return "waits for its condition, with an object of " + describe_group();
    case wait_cause::call:
      return "waits for the result of call " + group_name(waiting_group_) + ", with an object of " + describe_group();
    case wait_cause::handled:
      return "waits until what it has posted on side is handled: " + manager_.groups().describe_side(waiting_group_);
    case wait_cause::change: return "waits for a change of a collection, with an object of " + describe_group();
  }
  return "";
}

}  // namespace ovlp::OVLP_INLINE_CORE
