// SPDX-License-Identifier: BSD-3-Clause
#include "world/explored_backend.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <ovlp/base/expects.hpp>
#include <ovlp/runtime/internal/coordinator.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>

#include "steps/dps_thread.hpp"
#include "steps/execution.hpp"
#include "steps/scheduler.hpp"
#include "steps/structural_name.hpp"
#include "world/kept_object.hpp"

namespace ovlp::explore {
namespace {

// Kinds of names and resources, so that none is taken for another.
enum kind : std::uint64_t {
  of_thread = 1,
  of_connection,
  of_node,
  of_main,
  of_start,
  of_step,
  of_arrival,
  of_join,
  of_release,
  of_object,
  of_first,
  of_last,
  of_part,
};

constexpr std::uint64_t named(kind what, std::uint64_t of) { return mix(what, of); }

constexpr std::uint64_t between_nodes(node_id from, node_id to) { return (std::uint64_t{from} << 32) | to; }

std::uint64_t place_of(dps_thread const& thread) { return mix(name_of(thread.address()), thread.manager().self()); }

}  // namespace

explored_backend::explored_backend(program const& known, settings how, strategy& chooses)
    : program_(known),
      settings_(std::move(how)),
      strategy_(chooses),
      common_(known, settings_.node.nodes, settings_.node.stack_bytes),
      nodes_(settings_.node.nodes),
      connections_(settings_.node.nodes * settings_.node.nodes) {
  explored = this;
}

explored_backend::~explored_backend() {
  unwind();
  explored = nullptr;
}

// Nodes

void explored_backend::start_nodes(std::set<node_id> const& nodes) {
  for (node_id n : nodes) make_manager(n, false);
}

void explored_backend::make_manager(node_id number, bool joins_later) {
  node_part& node = nodes_[number];
  node_settings settings = settings_.node;
  settings.launch = node.launches++;
  node.workers.clear();
  node.manager = std::make_unique<thread_manager>(number, program_, *this, settings, common_);
  node.manager->scheduler().let_choose();
  node.manager->start(joins_later);
  node.looked_at = false;
}

void explored_backend::launch(node_id node) {
  if (nodes_[node].leaves) nodes_[node].comes_back = true;
  else add({.joins = node}, choice::kind_type::node, named(of_join, node), named(of_node, node));
}

void explored_backend::launched(node_id number) {
  make_manager(number, true);
  for (node_id n = 0; n < nodes_.size(); ++n) {
    touch(part::whole_node, n);
    if (nodes_[n].manager && n != number) nodes_[n].manager->node_renewed(number);
  }
  driver().coordinator().node_joined(number);
  nodes_[0].looked_at = false;
}

void explored_backend::release(node_id node) {
  nodes_[node].leaves = true;
  add({.leaves = node}, choice::kind_type::node, named(of_release, node), named(of_node, node));
}

void explored_backend::released(node_id number) {
  node_part& node = nodes_[number];
  touch(part::whole_node, number);
  node.leaves = false;
  node.manager->stop();
  released_.push_back(std::move(node.manager));
  for (std::size_t i = possible_.size(); i-- > 0;) {
    if (possible_[i].starts != nullptr && &possible_[i].starts->manager() == released_.back().get()) remove(i);
  }
  if (std::exchange(node.comes_back, false)) launch(number);
}

void explored_backend::forget_released() {
  std::erase_if(released_, [&](std::unique_ptr<thread_manager> const& manager) {
    auto const of_it = [&](worker const& w) { return &w.thread.manager() == manager.get(); };
    for (worker& w : workers_) {
      if (of_it(w) && w.idle) enter(w);
    }
    if (!std::ranges::all_of(workers_, [&](worker const& w) { return w.over || !of_it(w); })) return false;
    manager->unwind();
    workers_.remove_if(of_it);
    return true;
  });
}

// The run

bool explored_backend::run_until(std::function<bool()> const& done) {
  done_may_hold_ = true;
  nodes_[0].looked_at = false;  // the main program may have done something there
  if (std::exchange(main_goes_on_, false)) tell_touched();
  touched_parts.clear();
  touched_.clear();
  for (;;) {
    if (failure_) return true;
    look_at_schedulers();
    if (std::exchange(done_may_hold_, false) && !main_expected_ && done()) {  // which may take what it finds
      main_expected_ = true;
      add({}, choice::kind_type::main, named(of_main, 0), named(of_main, 0));
    }
    touched_parts.clear();  // what was looked at for that touches nothing: the main program's turn does
    if (possible_.empty()) {
      if (let_in_held()) continue;
      cut_ = cut::stalled;
      return false;
    }
    if (made_ == settings_.most_choices) {
      cut_ = cut::too_long;
      return false;
    }
    std::size_t const chosen = strategy_.choose(choices_);
    if (chosen == strategy::give_up) {
      cut_ = cut::given_up;
      return false;
    }
    ++made_;
    possibility const what = possible_[chosen];
    bool const is_main = choices_[chosen].kind == choice::kind_type::main;
    remove(chosen);
    happen(what);
    look_at_invariants();
    if (!released_.empty()) forget_released();
    if (is_main) {
      main_expected_ = false;
      main_goes_on_ = true;  // what it does until it waits again belongs to this choice
      return true;
    }
    tell_touched();
  }
}

/// Of the nodes at which something has happened, and the checks of the program.
void explored_backend::look_at_invariants() {
  if (failure_) return;
  for (node_id n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].looked_at || !nodes_[n].manager) continue;
    if (std::string broken = nodes_[n].manager->broken_invariant(); !broken.empty())
      fail({.kind = failure::kind_type::graph, .text = node_name(n) + ": " + broken + " (an error of ovlp)"});
  }
  if (settings_.check) {
    if (std::string broken = settings_.check(false); !broken.empty())
      fail({.kind = failure::kind_type::graph, .text = std::move(broken)});
  }
}

void explored_backend::happen(possibility const& what) {
  if (what.starts != nullptr) {
    thread_manager& manager = what.starts->manager();
    node_part& node = nodes_[manager.self()];
    auto const free = std::ranges::find_if(node.workers, [](worker const* w) { return w->idle; });
    base::expects(free != node.workers.end(), "a node has as many execution threads as may run");
    manager.scheduler().choose(*what.starts);
    enter(**free);
  } else if (what.goes_on != nullptr) {
    enter(*what.goes_on);
  } else if (what.arrives != nullptr) {
    connection& over = *what.arrives;
    message arrived = std::move(over.messages.front());
    over.messages.pop_front();
    if (!over.messages.empty()) add_arrival(over);
    touch(part::whole_node, over.to, 0, false);
    touch_connection(true, between_nodes(over.from, over.to));
    nodes_[over.to].looked_at = false;
    if (record_sink* const sink = settings_.node.sink; sink != nullptr && arrived.object) {
      envelope& object = *arrived.object;
      sink->transfer({over.from, over.to, object.type->byte_count(object.object()), arrived.sent_s, arrived.sent_s, 0,
                      now_s(), object.key()});
    }
    if (thread_manager* const receiver = nodes_[over.to].manager.get()) {  // else it has been released
      arrived.object ? receiver->receive(over.from, std::move(arrived.object))
                     : receiver->receive(over.from, arrived.told);
    }
  } else if (what.joins) {
    launched(*what.joins);
  } else if (what.leaves) {
    released(*what.leaves);
  } else {
    touch(part::calls, 0);
  }
}

void explored_backend::look_at_schedulers() {
  for (node_part& node : nodes_) {
    if (std::exchange(node.looked_at, true) || !node.manager || node.manager->stopping()) continue;
    candidates_.clear();
    node.manager->scheduler().add_candidates(candidates_);
    for (std::size_t i = possible_.size(); i-- > 0;) {
      dps_thread* const known = possible_[i].starts;
      if (known == nullptr || &known->manager() != node.manager.get()) continue;
      auto const still = std::ranges::find(candidates_, known);
      if (still == candidates_.end()) {
        remove(i);
      } else {
        candidates_.erase(still);
      }
    }
    for (dps_thread* const ready : candidates_) {
      std::uint64_t const at = place_of(*ready);
      add({.starts = ready}, choice::kind_type::start, mix(named(of_start, at), name_of(ready->next_work())),
          named(of_thread, at));
    }
  }
}

void explored_backend::add(possibility what, choice::kind_type kind, std::uint64_t base, std::uint64_t source) {
  std::uint64_t const time = ++times_[base];
  std::uint64_t const name = time == 1 ? base : mix(base, time);
  possible_.push_back(what);
  choices_.push_back({name, source, kind});
  if (!settings_.text) return;
  std::string const number = std::to_string(time);
  bool const first = time == 1;
  settings_.text(name, describe(what) + (first                             ? ""
                                         : kind == choice::kind_type::step ? " (step " + number + ")"
                                                                           : " (time " + number + ")"));
}

void explored_backend::remove(std::size_t place) {
  possible_.erase(possible_.begin() + static_cast<std::ptrdiff_t>(place));
  choices_.erase(choices_.begin() + static_cast<std::ptrdiff_t>(place));
}

bool explored_backend::let_in_held() {
  bool any = false;
  for (node_part& node : nodes_) {
    if (!node.manager || !node.manager->reallocation().let_in_held()) continue;
    node.looked_at = false;
    any = true;
  }
  return any;
}

std::vector<std::string> explored_backend::waiting() {
  std::vector<std::string> all;
  for (node_part const& node : nodes_) {
    if (!node.manager) continue;
    for (std::string& line : node.manager->waiting()) all.push_back(std::move(line));
  }
  return all;
}

void explored_backend::explain(outcome& of) {
  switch (cut_) {
    case cut::stalled: of.failure = in_a_line(stall(waiting())); break;
    case cut::too_long:
      of.failure =
          "it has not ended after " + std::to_string(made_) + " choices: a livelock, or --choices allows too few";
      break;
    case cut::given_up: of.given_up = true; break;
    case cut::none: break;
  }
}

void explored_backend::let_end(outcome& of) {
  run_until([] { return false; });
  if (!of.failure.empty()) return;
  if (failure_) of.failure = in_a_line(*failure_);
  if (cut_ != cut::stalled) return explain(of);
  cut_ = cut::none;
  std::vector<std::string> const still = waiting();
  if (!still.empty()) of.failure = "all calls have ended, and this waits for ever: " + still.front();
  else if (settings_.check) of.failure = settings_.check(true);
}

void explored_backend::fail(failure const& what) {
  if (failure_) return;
  failure_ = what;
  if (settings_.on_failure) settings_.on_failure();
  stop_all();
}

void explored_backend::stop_all() {
  for (node_part const& node : nodes_) {
    if (node.manager) node.manager->stop();
  }
}

void explored_backend::unwind() {
  stop_all();
  possible_.clear();
  choices_.clear();
  for (worker& w : workers_) enter(w);
  for (auto const& manager : released_) manager->unwind();
  for (node_part const& node : nodes_) {
    if (node.manager) node.manager->unwind();
  }
}

// Execution threads

void explored_backend::start(execution_thread& thread) {
  worker& made = workers_.emplace_back(worker{thread});
  thread.world = &made;
  nodes_[thread.manager().self()].workers.push_back(&made);
}

void explored_backend::enter(worker& w) {
  if (w.over) return;
  node_id const node = w.thread.manager().self();
  touch(part::whole_node, node, 0, false);
  nodes_[node].looked_at = false;
  w.idle = false;
  current_ = &w;
  w.thread.enter();
  current_ = nullptr;
  w.over = w.thread.manager().stopping();
}

void explored_backend::idle(execution_thread& thread) {
  static_cast<worker*>(thread.world)->idle = true;
  thread.park();
}

void explored_backend::end_step(step_end how) {
  worker& w = *current_;
  thread_manager const& node = w.thread.manager();
  if (!node.stopping() && how != step_end::iteration) {
    add_step(w);
    w.thread.leave();
  }
  if (node.stopping()) throw cancelled{};
}

bool explored_backend::end_last_step(step_end) {
  add_step(*current_);
  return false;
}

void explored_backend::add_step(worker& of) {
  execution const& what = of.thread.running();
  add({.goes_on = &of}, choice::kind_type::step, named(of_step, name_of(what)),
      named(of_thread, place_of(what.thread())));
}

kernel_time explored_backend::kernel(kernel_call const& what) {
  what.body();
  return {0};
}

void explored_backend::call_ended() {
  touch(part::calls, 0);
  done_may_hold_ = true;
}

// Messages

explored_backend::connection& explored_backend::between(node_id from, node_id to) {
  auto& found = connections_[from * nodes_.size() + to];
  if (!found) found = std::make_unique<connection>(connection{from, to, {}});
  touch_connection(false, between_nodes(from, to));
  return *found;
}

bool explored_backend::transmit(node_id from, node_id to, envelope_ptr object) {
  connection& over = between(from, to);
  over.messages.push_back({std::move(object), {}, now_s()});
  if (over.messages.size() == 1) add_arrival(over);
  return true;
}

void explored_backend::transmit(node_id from, node_id to, control const& told) {
  connection& over = between(from, to);
  over.messages.push_back({nullptr, told, now_s()});
  if (over.messages.size() == 1) add_arrival(over);
}

void explored_backend::add_arrival(connection& of) {
  std::uint64_t const over = between_nodes(of.from, of.to);
  add({.arrives = &of}, choice::kind_type::arrival, mix(named(of_arrival, over), name_of(of.messages.front())),
      named(of_connection, over));
}

/// Messages are put in at one end and taken out at the other: the two do not depend on each other, beyond that what is
/// taken out has been put in.
void explored_backend::touch_connection(bool head, std::uint64_t over) {
  touched_.push_back(changes(named(head ? of_first : of_last, over)));
}

void explored_backend::tell_touched() {
  for (touched_part const& one : touched_parts) {
    resource const what = named(of_part, mix(mix(static_cast<std::uint64_t>(one.what), one.node), one.of));
    touched_.push_back(one.changed ? changes(what) : uses(what));
  }
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  strategy_.happened(touched_);
  touched_parts.clear();
  touched_.clear();
}

// Names

std::uint64_t explored_backend::name_of_call(frames in) const {
  auto const known = in.empty() ? calls_.end() : calls_.find(in.front().group);
  return known == calls_.end() ? 0 : known->second.name;
}

std::uint64_t explored_backend::name_of(execution const& what) const {
  return ovlp::name_of(what, name_of_call(what.frames()));
}

std::uint64_t explored_backend::name_of(mail const& work) const {
  return ovlp::name_of(work, name_of_call(frames_of(work)));
}

std::uint64_t explored_backend::name_of(message const& what) const {
  if (what.object) return mix(name_of(static_cast<mail const&>(*what.object)), what.object->thread);
  return what.told.index();
}

/// A call is named by who makes it, and its number among those.
void explored_backend::call_made(group_id call) {
  execution const* const by = current_ != nullptr ? &current_->thread.running() : nullptr;
  std::uint64_t const name = by != nullptr ? name_of(*by) : 0;
  std::uint64_t const number = ++made_by_[name];
  made_call& made = calls_[call] = {mix(name, number), {}};
  if (!settings_.text) return;
  made.text = "call " + std::to_string(number);
  if (by != nullptr) {
    operation_place const where = by->where();
    made.text += " of " + program_.graph(where.graph).definition->describe(where.operation) + ", " +
                 describe(by->frames(), where.graph);
  }
}

void explored_backend::object_made(execution const& by, envelope& object) {
  if (!settings_.object) return;
  std::uint64_t const name = mix(named(of_object, name_of(by)), name_of(static_cast<mail const&>(object)));
  settings_.object(name, keep(*object.type, object.object()).hash());
  if (!settings_.text) return;
  operation_place const where = by.where();
  settings_.text(name, program_.graph(where.graph).definition->describe(where.operation) +
                           (object.operation == result_operation
                                ? " returns as the result " + describe(object.frames(), object.graph)
                                : " gives as object " + describe(object.frames(), object.graph)));
}

std::string explored_backend::describe(frames in, std::uint32_t graph) const {
  if (in.size() < 2) {
    auto const known = in.empty() ? calls_.end() : calls_.find(in.front().group);
    return "of " + (known == calls_.end() ? "a call" : known->second.text);
  }
  std::string text;
  for (std::size_t i = in.size(); i-- > 1;) {
    text += (text.empty() ? "" : " in ") + std::to_string(in[i].place) + " of " + program_.opener(graph, in[i].port);
  }
  return text;
}

std::string explored_backend::describe(mail const& work) const {
  auto const operation = [&](std::uint32_t graph, std::uint32_t number) {
    return program_.graph(graph).definition->describe(number);
  };
  switch (work.kind) {
    case mail::kind_type::object: {
      auto const& object = static_cast<envelope const&>(work);
      if (object.operation == result_operation) return "the result of a call";
      if (object.operation == state_operation) return "the state of " + program_.name({object.graph, object.thread});
      return operation(object.graph, object.operation) + " with object " + describe(object.frames(), object.graph);
    }
    case mail::kind_type::start:
    case mail::kind_type::resume: {
      execution const& what = static_cast<operation_mail const&>(work).operation;
      operation_place const where = what.where();
      return operation(where.graph, where.operation) + ", inside " + describe(what.frames(), where.graph);
    }
    case mail::kind_type::state: return "its state";
    default: return "something";
  }
}

std::string explored_backend::describe(possibility const& what) const {
  if (what.starts != nullptr) {
    mail const& work = what.starts->next_work();
    return node_name(what.starts->manager().self()) + ": " + program_.name(what.starts->address()) +
           (work.kind == mail::kind_type::resume ? " resumes " : " starts ") + describe(work);
  }
  if (what.goes_on != nullptr) {
    execution const& running = what.goes_on->thread.running();
    operation_place const where = running.where();
    return node_name(where.node) + ": " + program_.name(running.thread().address()) + " goes on with " +
           program_.graph(where.graph).definition->describe(where.operation) + ", object " +
           describe(running.frames(), where.graph);
  }
  if (what.arrives != nullptr) {
    message const& first = what.arrives->messages.front();
    std::string const way = node_name(what.arrives->from) + " to " + node_name(what.arrives->to) + ": ";
    if (first.object) {
      envelope const& object = *first.object;
      std::string to;
      if (object.operation != result_operation && object.operation != state_operation) {
        to = " for " + program_.name({program_.graph(object.graph).collection_of[object.operation], object.thread});
      }
      return way + describe(static_cast<mail const&>(object)) + to + " arrives";
    }
    constexpr char const* kinds[] = {"'closer here'",     "a group's total",     "a credit",        "'handled'",
                                     "'count in'",        "a request to change", "'change done'",   "a border",
                                     "a border's answer", "'border done'",       "'how much work'", "work",
                                     "an order to move",  "'thread moved'",      "a view",          "'view adopted'",
                                     "'drain'",           "'drained'",           "'leave'",         "'left'"};
    static_assert(std::size(kinds) == std::variant_size_v<control>);
    return way + kinds[first.told.index()] + " arrives";
  }
  if (what.joins) return node_name(*what.joins) + " joins";
  if (what.leaves) return node_name(*what.leaves) + " is released";
  return "the main program goes on";
}

}  // namespace ovlp::explore
