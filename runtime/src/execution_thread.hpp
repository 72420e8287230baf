// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include <oneapi/tbb/spin_mutex.h>

#include "fiber.hpp"
#include "scheduler.hpp"

namespace ovlp {

class dps_thread;
class execution;
class execution_thread;
class thread_manager;

/// The loop of an execution thread on a stack of its own, and on top of it an operation. An operation that suspends
/// keeps the stack, and with it the loop; the execution thread that goes on with the operation goes on with that loop.
class loop_fiber {
 public:
  explicit loop_fiber(std::size_t stack_bytes);

  ovlp::fiber fiber;
  execution_thread* host = nullptr;  ///< that runs it now, or did last
  execution* operation = nullptr;    ///< that runs on it, or is suspended
};

/// The loops of a node that no execution thread needs now. Thread: any.
class loop_pool {
 public:
  explicit loop_pool(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}

  /// Errors: std::system_error if there is no stack for another one.
  loop_fiber& take();
  /// Nobody runs it.
  void give(loop_fiber& unused);

 private:
  std::size_t const stack_bytes_;
  tbb::spin_mutex mutex_;
  std::vector<std::unique_ptr<loop_fiber>> all_;
  std::vector<loop_fiber*> unused_;
};

/// Runs the operations of a node, one at a time; an operation that suspends leaves it free for others, and goes on in
/// whichever execution thread is free when it may. In a real run it is an OS thread.
///
/// Its loop runs in fibers. Operations run on top of the loop's own fiber; only when one suspends does another fiber
/// take the loop over, so an operation that never waits costs no switch.
class execution_thread {
 public:
  execution_thread(thread_manager& manager, loop_pool& loops, std::size_t number)
      : manager_(&manager), loops_(&loops), number_(number) {}
  execution_thread(execution_thread const&) = delete;
  execution_thread& operator=(execution_thread const&) = delete;
  ~execution_thread();

  /// Runs operations until the manager stops, or until leave(). Always from the same OS thread.
  void enter();
  /// From within: enter() returns. This returns when it is entered again.
  void leave();
  /// Ends a suspended operation by the exception `cancelled`. From any OS thread, when the manager has stopped and no
  /// execution thread of the node runs any more.
  void unwind(execution& operation);

  /// Leaves the running operation, which returns from here when it is resumed, in whichever execution thread.
  void suspend(execution& operation);

  thread_manager& manager() const { return *manager_; }
  std::size_t number() const { return number_; }
  /// The loop that it runs now; nullptr before it is entered.
  loop_fiber* loop() const { return current_; }

  void* world = nullptr;             ///< of the backend
  std::atomic<bool> sending{false};  ///< of the thread manager: uses a view of a collection

 private:
  friend class loop_fiber;
  void turn();
  void run_one(dps_thread& thread);
  void resume(execution& operation);
  void take_over(loop_fiber& loop);

  thread_manager* manager_;
  loop_pool* loops_;
  std::size_t const number_;
  std::unique_ptr<fiber> os_thread_;
  loop_fiber* current_ = nullptr;
  loop_fiber* left_ = nullptr;      ///< for another operation; in the pool only once it is no longer run
  dps_thread* finished_ = nullptr;  ///< what ran last and has not been given back to the scheduler
};

}  // namespace ovlp
