// SPDX-License-Identifier: BSD-3-Clause
#include "collections/thread_states.hpp"

#include <exception>

#include <ovlp/runtime/internal/activity.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "failures.hpp"
#include "steps/crashes.hpp"

namespace ovlp::OVLP_INLINE_CORE {

template <class Function>
void thread_states::run(char const* name, thread_address of, Function const& function) {
  scoped_lock const lock(one_at_a_time_);
  report_crashes();
  activity::of_this_thread().begins_function(name, node_.program().collection(of.collection).name, of.index,
                                             node_.self());
  try {
    node_.backend().state_function(function);
  } catch (...) {
    fail(node_, name, of, std::current_exception());
  }
  activity::of_this_thread().ends_function();
}

std::shared_ptr<void> thread_states::make(thread_address of) {
  std::shared_ptr<void> made;
  run("the state's maker", of, [&] { made = node_.program().collection(of.collection).state.make(of.index); });
  return made;
}

std::optional<std::shared_ptr<void>> thread_states::adopt(thread_address of, void* object) {
  try {
    return node_.program().collection(of.collection).state.adopt(object);
  } catch (...) {
    fail(node_, "the state's move", of, std::current_exception());
    return std::nullopt;
  }
}

void thread_states::leave(thread_address of, std::shared_ptr<void> state) {
  auto const& take = node_.program().collection(of.collection).state.leave;
  if (!take || !state) return;
  run("on_leave", of, [&] { take(of.index, state.get()); });
}

}  // namespace ovlp::OVLP_INLINE_CORE
