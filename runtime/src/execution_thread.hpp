// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "fiber.hpp"
#include "scheduler.hpp"

namespace ovlp {

class dps_thread;
class execution;
class thread_manager;

/// Runs the operations of a node, one at a time; an operation that suspends leaves it free for others and comes back
/// to it. In a real run it is an OS thread.
///
/// Its loop runs in fibers. Operations run on top of the loop's own fiber; only when one suspends does another fiber
/// take the loop over, so an operation that never waits costs no switch.
class execution_thread {
 public:
  execution_thread(thread_manager& manager, std::size_t number, std::size_t stack_bytes)
      : manager_(&manager), number_(number), stack_bytes_(stack_bytes) {}
  execution_thread(execution_thread const&) = delete;
  execution_thread& operator=(execution_thread const&) = delete;
  ~execution_thread();

  /// Runs operations until the manager stops, or until leave(). Always from the same OS thread.
  void enter();
  /// From within: enter() returns. This returns when it is entered again.
  void leave();
  /// When enter() has returned after a stop: ends the operations that are still suspended here, by the exception
  /// `cancelled`. From the same OS thread, while no other execution thread of the node runs, and after
  /// thread_manager::drop_mail.
  void unwind();

  /// Leaves the running operation, which returns from here when it is resumed.
  /// Errors: cancelled, when the run ends without it.
  void suspend(execution& operation);

  thread_manager& manager() const { return *manager_; }
  std::size_t number() const { return number_; }
  /// Operations that wait here. The node must be passive.
  std::vector<execution*> const& suspended() const { return suspended_; }

  ready_queue bound;                 ///< of the scheduler: DPS threads whose next operation is suspended here
  void* world = nullptr;             ///< of the backend
  std::atomic<bool> sending{false};  ///< of the thread manager: uses a view of a collection

 private:
  void loop();
  void run_one(dps_thread& thread);
  fiber& spare();

  thread_manager* manager_;
  std::size_t const number_;
  std::size_t const stack_bytes_;
  std::unique_ptr<fiber> os_thread_;
  std::vector<std::unique_ptr<fiber>> fibers_;
  std::vector<fiber*> spare_;
  fiber* current_ = nullptr;
  dps_thread* finished_ = nullptr;  ///< what ran last and has not been given back to the scheduler
  std::vector<execution*> suspended_;
};

}  // namespace ovlp
