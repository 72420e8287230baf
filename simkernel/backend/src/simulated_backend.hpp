// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/machine/virtual_machine.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "kernel_times.hpp"
#include "node_memory.hpp"
#include "options.hpp"
#include "without_effect.hpp"

namespace ovlp::sim {

/// The simulated backend: a thread manager of the runtime for each node of a virtual machine, all in one OS thread.
///
/// An execution thread that has computed an atomic step leaves; it is entered again when the machine has computed the
/// step in simulated time, after what the messages cost that the thread sent before.
/// Source: the paper, section 3; docs/model.md.
class simulated_backend final : public backend {
 public:
  simulated_backend(machine::platform const& on, program const& known, kernel_times& kernels, node_settings settings,
                    simulation_options const& options);
  ~simulated_backend() override;

  /// Node 0 and all nodes that a collection is mapped to. Errors: config_error.
  void start_nodes(std::set<node_id> const& nodes);
  thread_manager& driver() { return *nodes_[0].manager; }
  /// nullptr: the run has not begun.
  thread_manager* find_driver() { return nodes_.empty() ? nullptr : nodes_.front().manager.get(); }

  /// Simulates until done(), which is asked again only after call_ended() or fail(). Returns false if nothing can
  /// happen any more before that.
  bool run_until(std::function<bool()> const& done);
  std::optional<failure> const& failed() const { return failure_; }
  /// Each operation that waits, on all nodes.
  std::vector<std::string> waiting();
  /// Ends all operations that have not ended.
  void unwind();
  machine::virtual_machine::usage used() const { return machine_.used(); }
  machine::virtual_machine const& machine() const { return machine_; }
  /// So far, by number.
  std::vector<node_use> used_nodes() const;
  /// nullptr: the platform does not say how much memory its nodes have.
  node_memory const* memory() const { return memory_.get(); }

  // backend
  double now_s() override { return clock_.now_s(); }
  double computed_s() override { return current_ == nullptr ? 0 : current_->computed_s; }
  void start(execution_thread& thread) override;
  void idle(execution_thread& thread) override;
  void wake(execution_thread& thread) override;
  void end_step(step_end how) override;
  bool end_last_step(step_end how) override;
  kernel_time kernel(kernel_call const& what) override;
  void state_function(function_ref<void()> function) override;
  bool transmit(node_id from, node_id to, envelope_ptr object) override;
  void transmit(node_id from, node_id to, control const& told) override;
  void launch(node_id node) override;
  void release(node_id node) override;
  void fail(failure const& what) override;
  void call_ended() override;

 private:
  /// An execution thread.
  struct worker final : machine::task {
    worker(simulated_backend& in, execution_thread& t);
    void done(unsigned, double) override { backend.enter(*this); }
    void enter_soon() { virtual_thread.add(*this, 0); }
    simulated_backend& backend;
    execution_thread& thread;
    machine::thread virtual_thread;
    double step_s = 0;      ///< kernels of the step so far, on the reference core
    double demand_s = 0;    ///< the same, each times what it demands of what cores share
    double measured_s = 0;  ///< of them, CPU seconds here
    double computed_s = 0;  ///< ever
    bool idle = false;
    bool handed_over = false;  ///< it has been woken by an operation of its node, or by the main program
    bool over = false;         ///< its loop has ended
    struct waking final : machine::event {
      explicit waking(worker& w) : of(w) {}
      void happen() override { of.enter_soon(); }
      worker& of;
    } waking{*this};
  };
  struct message final : machine::message {
    explicit message(simulated_backend& in) : backend(in) {}
    void accepted() override;
    void crossed(machine::crossing const& when) override;
    void delivered() override;
    simulated_backend& backend;
    envelope_ptr object;
    memory_claim at_receiver;
    control told;
  };
  struct virtual_node final : machine::event {
    void happen() override { backend->launched(number); }  // its launch has taken its time
    simulated_backend* backend = nullptr;
    node_id number = 0;
    node_use use = node_use::none;
    std::size_t launches = 0;
    std::unique_ptr<thread_manager> manager;  ///< none: the node is not held
    std::optional<machine::thread> states;    ///< once a state has been made or left: does so one at a time
  };

  /// The main program, which waits for a call that has ended, goes on.
  struct main_wake final : machine::event {
    explicit main_wake(simulated_backend& in) : backend(in) {}
    void happen() override {
      expected = false;
      backend.done_may_hold_ = true;
    }
    simulated_backend& backend;
    bool expected = false;
  };

  double wake_s() const { return measures_ ? 0 : charged_.per_wake_s; }
  void make_manager(node_id number, bool joins_later);
  void launched(node_id number);
  void enter(worker& w);
  bool takes_time(worker& w, step_end how);
  void enter_ready();
  bool let_in_held();
  void forget_released();
  message& new_message(node_id from, node_id to);

  machine::platform const& platform_;
  program const& program_;
  kernel_times& kernels_;
  node_settings settings_;
  common_parts common_;
  simulation_options const& options_;
  bool const measures_;             ///< what steps cost beside their kernels
  runtime_duration const charged_;  ///< for that, where it is not measured
  machine::virtual_machine machine_;
  machine::event_queue const& clock_;
  std::unique_ptr<node_memory> memory_;
  std::deque<virtual_node> nodes_;
  std::vector<std::unique_ptr<thread_manager>> released_;  ///< whose execution threads have not left yet
  std::list<worker> workers_;
  std::vector<worker*> ready_;
  std::deque<message> messages_;
  std::vector<message*> unused_messages_;
  worker* current_ = nullptr;
  main_wake main_wakes_{*this};
  bool advances_ = false;       ///< what happens is the machine's doing
  bool done_may_hold_ = false;  ///< since run_until() asked last
  double entered_cpu_s_ = 0;
  std::optional<failure> failure_;
};

}  // namespace ovlp::sim
