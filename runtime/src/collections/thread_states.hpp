// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

/// The user's functions for the states of DPS threads. They run in no operation, and one at a time on a node; what they
/// throw ends the run.
/// Thread: any.
class thread_states {
 public:
  explicit thread_states(thread_manager& node) : node_(node) {}

  /// nullptr if the maker has thrown.
  std::shared_ptr<void> make(thread_address of);
  /// The state of a thread that has come from another node, from the object that it travelled as; none after a throw.
  std::optional<std::shared_ptr<void>> adopt(thread_address of, void* object);
  /// Gives the state of a thread that leaves to the collection's on_leave, if there is one.
  void leave(thread_address of, std::shared_ptr<void> state);

 private:
  template <class Function>
  void run(char const* name, thread_address of, Function const& function);

  thread_manager& node_;
  mutex one_at_a_time_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
