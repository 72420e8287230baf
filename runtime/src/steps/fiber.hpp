// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// A stack of control that can be left and entered again: what lets an operation wait without blocking its OS thread.
///
/// Every OS thread that switches has a fiber for its own stack (made by the default constructor). A fiber with a stack
/// of its own may be left on one OS thread and entered on another. Sanitizers are told of every switch, and exceptions
/// in flight stay with their fiber.
class fiber {
 public:
  /// Stands for the stack of the calling OS thread.
  fiber();
  /// A new stack of at least `stack_bytes`; `body` runs when it is first entered and must not return or throw.
  /// Errors: std::system_error if there is no memory or the kernel's limit of mappings is reached.
  fiber(std::size_t stack_bytes, std::function<void()> body);
  fiber(fiber const&) = delete;
  fiber& operator=(fiber const&) = delete;
  /// A fiber with a stack of its own must not be running; what is still on its stack is dropped without unwinding.
  ~fiber();

  /// Leaves this fiber, which must be the running one, and enters `next`. Returns when somebody enters this one, on
  /// whatever OS thread: what the compiler keeps of thread_local variables across the call may be another thread's.
  [[gnu::noinline]] void switch_to(fiber& next);

  /// Whether the address is below this stack, where only what overflows it can point. Async-signal-safe.
  bool overflows_at(void const* address) const;

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
