// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace ovlp {

/// A stack of control that can be left and entered again: what lets an operation wait without blocking its OS thread.
///
/// Every OS thread that switches has a fiber for its own stack (made by the default constructor). A fiber is entered
/// only from the OS thread that made it. Sanitizers are told of every switch, and exceptions in flight stay with
/// their fiber.
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

  /// Leaves this fiber, which must be the running one, and enters `next`. Returns when somebody enters this one.
  void switch_to(fiber& next);

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp
