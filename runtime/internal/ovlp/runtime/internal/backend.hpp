// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ovlp/flowgraph/function_ref.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class execution_thread;

/// Thrown through an operation that waits when the run ends without it.
struct cancelled {};

/// What ends an atomic step.
enum class step_end : std::uint8_t {
  wait,       ///< a wait, a call, a change, the operation's end
  posts,      ///< an object that is sent on
  iteration,  ///< here.iteration after a kernel: for the accounts alone, the runtime does nothing
};

/// A kernel that an operation wants done.
struct kernel_call {
  std::string_view name;
  std::span<std::int64_t const> sizes;
  node_id node;
  thread_address thread;
  function_ref<void()> body;
  bool recorded;     ///< else nobody asks how long it takes
  bool always_runs;  ///< also where it is charged
};

/// How long it took.
struct kernel_time {
  double work_s;
  bool is_mean = false;  ///< of others like it, which ran: it was charged that
};

/// The door between the runtime's core and the world: time, processors and network. The core knows nothing else of it.
/// Called per step, never per field.
///
/// Thread: from any execution thread, with no lock of the core held, except where said.
class backend {
 public:
  backend() = default;
  backend(backend const&) = delete;
  backend& operator=(backend const&) = delete;
  virtual ~backend() = default;

  /// Seconds since some moment that is the same on all nodes, as well as the world allows.
  virtual double now_s() = 0;
  /// Seconds that the calling execution thread has computed so far: what a step cost is a difference of two.
  virtual double computed_s() = 0;
  /// Of these, what handing messages to other nodes and users' functions for states took; 0 where nobody asks for the
  /// runtime's cost.
  virtual double aside_s() { return 0; }

  /// A new execution thread: from now on enter() is to be called, in whatever way this world executes.
  virtual void start(execution_thread& thread) = 0;
  /// The calling execution thread has nothing to run: returns when somebody woke it, or earlier.
  virtual void idle(execution_thread& thread) = 0;
  virtual void wake(execution_thread& thread) = 0;

  /// The operation that the calling execution thread runs comes to the end of an atomic step: returns when the step's
  /// time has passed. Errors: cancelled.
  virtual void end_step(step_end how) = 0;
  /// The same for an operation's last step, of whose body nothing is left on the stack. Returns whether the step's time
  /// has passed; else the execution thread leaves, and is entered again when it has.
  virtual bool end_last_step(step_end how) = 0;
  /// Does a kernel of that operation, or charges for it.
  virtual kernel_time kernel(kernel_call const& what) = 0;
  /// Runs a user's function for the state of a DPS thread, which is part of no operation: returns when its time has
  /// passed. Of a node one at a time. Thread: also that of the main program, before the run begins. Errors: what the
  /// function throws.
  virtual void state_function(function_ref<void()> function) { function(); }

  /// Sends an object or a control message to another node. Does not wait. Returns whether the object's transfer has
  /// ended already; else thread_manager::sent of its node follows when it has.
  virtual bool transmit(node_id from, node_id to, envelope_ptr object) = 0;
  virtual void transmit(node_id from, node_id to, control const& message) = 0;

  /// Asked by node 0. The node can be sent to when launch returns.
  virtual void launch(node_id node) = 0;
  virtual void release(node_id node) = 0;

  /// The run cannot go on.
  virtual void fail(failure const& what) = 0;
  /// A call made by the main program has ended.
  virtual void call_ended() = 0;
};

}  // namespace ovlp::OVLP_INLINE_CORE
