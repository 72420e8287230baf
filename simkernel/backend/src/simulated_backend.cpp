// SPDX-License-Identifier: BSD-3-Clause
#include "simulated_backend.hpp"

#include <algorithm>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/runtime/internal/coordinator.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>

namespace ovlp::sim {
namespace {

void refuse_elements(std::size_t bytes) {
  throw config_error(
      "--no-alloc: the " + std::to_string(bytes) +
      " bytes of a buffer were touched outside a kernel, or in one that runs; move this into the body of "
      "here.kernel, or guard it with run.computes()");
}

}  // namespace

simulated_backend::worker::worker(simulated_backend& in, execution_thread& t)
    : backend(in), thread(t), virtual_thread(in.machine_.processor_of(t.manager().self())) {}

simulated_backend::simulated_backend(machine::platform const& on, program const& known, kernel_times& kernels,
                                     node_settings settings, simulation_options const& options)
    : platform_(on),
      program_(known),
      kernels_(kernels),
      settings_(settings),
      common_(known, settings.nodes, settings.stack_bytes),
      options_(options),
      measures_(options.mode() == execution_mode::direct),
      charged_(kernels.runtime().value_or(runtime_duration{on.runtime.per_step_s, on.runtime.per_object_s, 0})),
      machine_(on, settings.nodes, options.vary),
      clock_(machine_.events()) {
  if (std::ranges::any_of(on.nodes, [](machine::node_kind const& kind) { return kind.memory_bytes.has_value(); })) {
    memory_ = std::make_unique<node_memory>(on, known, clock_, settings_.nodes);
    settings_.memory = memory_.get();
  }
  if (options_.shuffle) machine_.events().shuffle(*options_.shuffle);
  for (node_id n = 0; n < settings_.nodes; ++n) {
    nodes_.emplace_back();
    nodes_.back().backend = this;
    nodes_.back().number = n;
  }
}

simulated_backend::~simulated_backend() { unwind(); }

// Nodes

void simulated_backend::start_nodes(std::set<node_id> const& nodes) {
  for (node_id n : nodes) make_manager(n, false);
}

void simulated_backend::make_manager(node_id number, bool joins_later) {
  virtual_node& node = nodes_[number];
  node_settings settings = settings_;
  settings.cores = platform_.kind_of(number).cores;
  settings.launch = node.launches++;
  if (options_.execution_thread_per_core) settings.execution_threads = settings.cores;
  if (node.use != node_use::launched) node.use = joins_later ? node_use::launched : node_use::held;
  node.manager = std::make_unique<thread_manager>(number, program_, *this, settings, common_);
  node.manager->start(joins_later);
}

void simulated_backend::launch(node_id node) {
  machine_.events().happen_after(platform_.kind_of(node).launch_s, nodes_[node]);
}

void simulated_backend::launched(node_id number) {
  make_manager(number, true);
  for (virtual_node const& n : nodes_) {
    if (n.manager && n.number != number) n.manager->node_renewed(number);
  }
  driver().coordinator().node_joined(number);
}

void simulated_backend::release(node_id node) {
  nodes_[node].manager->stop();
  released_.push_back(std::move(nodes_[node].manager));
}

void simulated_backend::forget_released() {
  std::erase_if(released_, [&](std::unique_ptr<thread_manager> const& manager) {
    auto const of_it = [&](worker const& w) { return &w.thread.manager() == manager.get(); };
    if (!std::ranges::all_of(workers_, [&](worker const& w) { return w.over || !of_it(w); })) return false;
    manager->unwind();
    std::erase_if(workers_, of_it);
    return true;
  });
}

// The run

bool simulated_backend::run_until(std::function<bool()> const& done) {
  enter_ready();
  while (!done()) {
    for (done_may_hold_ = false; !done_may_hold_; enter_ready()) {
      advances_ = true;
      bool const happened = machine_.advance();
      advances_ = false;
      if (!happened && !let_in_held()) return false;
    }
  }
  return true;
}

bool simulated_backend::let_in_held() {
  bool any = false;
  for (virtual_node const& n : nodes_) any = (n.manager && n.manager->reallocation().let_in_held()) || any;
  return any;
}

std::vector<std::string> simulated_backend::waiting() {
  std::vector<std::string> all;
  for (virtual_node const& n : nodes_) {
    if (!n.manager) continue;
    for (std::string& line : n.manager->waiting()) all.push_back(std::move(line));
    if (!machine_.idle(n.number))
      all.push_back(node_name(n.number) + " has work to do and stands still: its speed has become 0");
  }
  return all;
}

std::vector<node_use> simulated_backend::used_nodes() const {
  std::vector<node_use> all;
  all.reserve(nodes_.size());
  for (virtual_node const& n : nodes_) all.push_back(n.use);
  return all;
}

void simulated_backend::fail(failure const& what) {
  if (failure_) return;
  failure_ = what;
  done_may_hold_ = true;
  for (virtual_node const& n : nodes_) {
    if (n.manager) n.manager->stop();
  }
}

void simulated_backend::unwind() {
  std::vector<thread_manager*> all;
  for (auto const& m : released_) all.push_back(m.get());
  for (virtual_node const& n : nodes_) {
    if (n.manager) all.push_back(n.manager.get());
  }
  for (thread_manager* m : all) m->stop();
  ready_.clear();
  for (worker& w : workers_) enter(w);
  for (thread_manager* m : all) m->unwind();
}

// Execution threads

void simulated_backend::start(execution_thread& thread) {
  worker& made = workers_.emplace_back(*this, thread);
  thread.world = &made;
  ready_.push_back(&made);
}

void simulated_backend::enter_ready() {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    worker& w = *ready_[i];
    if (std::exchange(w.handed_over, false) && wake_s() > 0) {
      machine_.events().happen_after(wake_s(), w.waking);
    } else {
      w.enter_soon();
    }
  }
  ready_.clear();
  if (!released_.empty()) forget_released();
}

void simulated_backend::enter(worker& w) {
  if (w.over) return;
  current_ = &w;
  detail::allocation_guard = options_.no_alloc ? &refuse_elements : nullptr;
  if (measures_) entered_cpu_s_ = base::running_cpu_s();
  w.thread.enter();
  detail::allocation_guard = nullptr;
  current_ = nullptr;
  w.over = w.thread.manager().stopping();
}

void simulated_backend::idle(execution_thread& thread) {
  auto& w = *static_cast<worker*>(thread.world);
  if (w.virtual_thread.empty()) {
    w.idle = true;
  } else {
    w.virtual_thread.add(w, 0);  // after what its messages cost
  }
  thread.park();
}

void simulated_backend::wake(execution_thread& thread) {
  auto& w = *static_cast<worker*>(thread.world);
  if (!std::exchange(w.idle, false)) return;
  w.handed_over = current_ != nullptr || !advances_;
  ready_.push_back(&w);
}

void simulated_backend::call_ended() {
  if (wake_s() == 0) {
    done_may_hold_ = true;
  } else if (!std::exchange(main_wakes_.expected, true)) {
    machine_.events().happen_after(wake_s(), main_wakes_);
  }
}

void simulated_backend::end_step(step_end how) {
  thread_manager const& node = current_->thread.manager();
  if (!node.stopping() && takes_time(*current_, how)) current_->thread.leave();
  if (node.stopping()) throw cancelled{};
}

bool simulated_backend::end_last_step(step_end how) { return !takes_time(*current_, how); }

/// If so, the worker is entered again when the time of its step has passed.
bool simulated_backend::takes_time(worker& w, step_end how) {
  double const measured_s = std::exchange(w.measured_s, 0);
  double remainder_s =
      how == step_end::iteration ? 0 : charged_.per_step_s + (how == step_end::posts ? charged_.per_object_s : 0);
  if (measures_) {  // the runtime of a real run takes more than its code here, which has no locks and wakes nobody
    double const here_s = (base::running_cpu_s() - entered_cpu_s_ - measured_s) * options_.host_speed;
    remainder_s = kernels_.charged_remainder_s(w.thread.place()).value_or(std::max(remainder_s, here_s));
  }
  double const step_s = std::exchange(w.step_s, 0) + remainder_s, demand_s = std::exchange(w.demand_s, 0);
  if (step_s == 0 && w.virtual_thread.empty()) return false;
  w.computed_s += step_s;
  w.virtual_thread.add(w, step_s, 0, demand_s > 0 ? static_cast<float>(demand_s / step_s) : 0);
  return true;
}

kernel_time simulated_backend::kernel(kernel_call const& what) {
  worker& w = *current_;
  auto const [alone_s, measured_s, is_mean, demand] = kernels_(what);
  double const work_s = alone_s + machine_.computing_extra_s(w.thread.manager().self(), alone_s);
  w.step_s += work_s;
  w.demand_s += demand * work_s;
  w.measured_s += measured_s;
  return {work_s, is_mean};
}

/// What the node's other execution threads compute goes on meanwhile. The first states are made before the run begins.
void simulated_backend::state_function(function_ref<void()> function) {
  if (current_ == nullptr || !measures_) return function();
  worker& w = *current_;
  double const start_s = base::running_cpu_s();
  function();
  double const taken_s = (base::running_cpu_s() - start_s) * options_.host_speed;
  if (taken_s <= 0) return;
  virtual_node& node = nodes_[w.thread.manager().self()];
  if (!node.states) node.states.emplace(machine_.processor_of(node.number));
  node.states->add(w, taken_s);
  w.thread.leave();
}

// Messages

bool simulated_backend::transmit(node_id from, node_id to, envelope_ptr object) {
  message& m = new_message(from, to);
  if (object->handed_over.at_s() < now_s()) m.waiting_since_s = object->handed_over.at_s();
  m.kind = machine::message::kind_type::object;
  m.bytes = object->type->byte_count(object->object());
  if (memory_) m.at_receiver.hold(*memory_, to, object->in_memory());
  m.object = std::move(object);
  machine_.send(m, current_ == nullptr ? nullptr : &current_->virtual_thread);
  return false;
}

void simulated_backend::transmit(node_id from, node_id to, control const& told) {
  message& m = new_message(from, to);
  m.kind = machine::message::kind_type::control;
  m.bytes = 0;
  m.told = told;
  machine_.send(m, current_ == nullptr ? nullptr : &current_->virtual_thread);
}

simulated_backend::message& simulated_backend::new_message(node_id from, node_id to) {
  if (unused_messages_.empty()) unused_messages_.push_back(&messages_.emplace_back(*this));
  message& taken = *unused_messages_.back();
  unused_messages_.pop_back();
  taken.from = from;
  taken.to = to;
  taken.waiting_since_s.reset();
  return taken;
}

void simulated_backend::message::accepted() {
  if (thread_manager* const sender = backend.nodes_[from].manager.get()) sender->sent(to);
}

void simulated_backend::message::crossed(machine::crossing const& when) {
  record_sink* const sink = backend.settings_.sink;
  if (sink == nullptr || kind != kind_type::object) return;
  sink->transfer({from, to, static_cast<std::size_t>(bytes), when.sent_s, when.started_s, when.latency_s,
                  backend.now_s(), object->key()});
}

void simulated_backend::message::delivered() {
  thread_manager* const receiver = backend.nodes_[to].manager.get();
  envelope_ptr arrived = std::move(object);
  at_receiver.release();      // it counts itself from here on
  if (receiver != nullptr) {  // else it has been released, and nobody waits for this
    arrived ? receiver->receive(from, std::move(arrived)) : receiver->receive(from, told);
  }
  backend.unused_messages_.push_back(this);
}

}  // namespace ovlp::sim
