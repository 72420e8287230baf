// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "steps/fiber.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class execution;
class execution_thread;

/// The loop of an execution thread on a stack of its own, and on top of it an operation. An operation that suspends
/// keeps the stack, and with it the loop; the execution thread that goes on with the operation goes on with that loop.
class loop_fiber {
 public:
  explicit loop_fiber(std::size_t stack_bytes);

  ovlp::fiber fiber;
  execution_thread* host = nullptr;  ///< that runs it now, or did last
  execution* operation = nullptr;    ///< that runs on it, or is suspended
};

/// The loops of a process that no execution thread needs now; the one that was given last is taken first. Thread: any.
class loop_pool {
 public:
  explicit loop_pool(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}

  /// Errors: std::system_error if there is no stack for another one.
  loop_fiber& take();
  /// Nobody runs it.
  void give(loop_fiber& unused);

 private:
  std::size_t const stack_bytes_;
  spin_mutex mutex_;
  std::vector<std::unique_ptr<loop_fiber>> all_ OVLP_GUARDED_BY(mutex_);
  std::vector<loop_fiber*> unused_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
