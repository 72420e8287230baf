// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/flowgraph/context.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/activity.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/runtime_costs.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class dps_thread;
class execution;
class fiber;
class loop_fiber;
class loop_pool;
class thread_manager;
struct run_queue;

/// A kernel that becomes a record at the end of its step.
struct recorded_kernel {
  std::string name;
  kernel_sizes sizes;
  kernel_time took;
};

/// Runs the operations of a node, one at a time; an operation that suspends leaves it free for others, and goes on in
/// whichever execution thread is free when it may. In a real run it is an OS thread.
///
/// Its loop runs in fibers. Operations run on top of the loop's own fiber; only when one suspends does another fiber
/// take the loop over, so an operation that never waits costs no switch.
class execution_thread {
 public:
  execution_thread(thread_manager& manager, loop_pool& loops);
  ~execution_thread();

  /// Runs operations until the manager stops, or until leave(). Always from the same OS thread.
  void enter();
  /// From within: enter() returns. This returns when it is entered again.
  void leave();
  /// The same where no operation is on the stack, which goes back to the pool: others may use it meanwhile. Only where
  /// all execution threads that share the pool are one OS thread. Nothing may follow but the return to the loop.
  void park();
  /// Ends a suspended operation by the exception `cancelled`. From any OS thread, when the manager has stopped and no
  /// execution thread of the node runs any more.
  void unwind(execution& operation);

  /// The body of the running operation has returned. The loop does the rest: there is nothing of it on the stack.
  void end(execution& operation) { ending_ = &operation; }
  /// Leaves the running operation, which returns from here when it is resumed, in whichever execution thread.
  void suspend(execution& operation);

  /// For an operation that begins. It is the caller's until keep().
  execution& new_execution();
  /// One that has ended, for the next operation.
  void keep(execution& ended);

  thread_manager& manager() const { return *manager_; }
  /// The operation whose step it runs.
  execution const& running() const;
  operation_place place() const;
  /// What its OS thread shows of it. After it has been entered.
  ovlp::activity& activity() const { return *activity_; }
  /// Says what the runtime has taken, if somebody wants to know.
  void tell_costs();
  /// The loop that it runs now; nullptr before it is entered.
  loop_fiber* loop() const { return current_; }

  void* world = nullptr;                 ///< of the backend
  run_queue* queue = nullptr;            ///< of the scheduler
  std::vector<recorded_kernel> kernels;  ///< of the step that runs, if records are taken
  runtime_cost_meter costs;              ///< of this thread
  shared<bool> reads_views{false};       ///< of views::reading

 private:
  friend class loop_fiber;
  static fiber& os_thread();
  void turn();
  bool conclude();
  void run_one(dps_thread& thread);
  void resume(execution& operation);
  void take_over(loop_fiber& loop);
  loop_fiber& another_loop();
  void keep_or_give(loop_fiber& left);

  thread_manager* manager_;
  loop_pool* loops_;
  fiber* os_thread_ = nullptr;  ///< that entered it last
  ovlp::activity* activity_ = nullptr;
  loop_fiber* current_ = nullptr;
  loop_fiber* left_ = nullptr;        ///< for another operation; in the pool only once it is no longer run
  loop_fiber* spare_ = nullptr;       ///< the same, for the next operation that is suspended
  std::unique_ptr<execution> ended_;  ///< of a leaf or split, for the next one
  execution* ending_ = nullptr;       ///< whose body has returned
  bool last_step_ends_ = false;       ///< its last step's time passes, or has passed
  dps_thread* finished_ = nullptr;    ///< what ran last and has not been given back to the scheduler
};

}  // namespace ovlp::OVLP_INLINE_CORE
