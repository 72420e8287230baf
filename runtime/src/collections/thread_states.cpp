// SPDX-License-Identifier: BSD-3-Clause
#include "collections/thread_states.hpp"

#include <utility>

#include <ovlp/runtime/internal/activity.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "failures.hpp"
#include "steps/crashes.hpp"

namespace ovlp::OVLP_INLINE_CORE {

namespace {

/// Shows that the calling OS thread runs a function of the program that is no operation.
class shown {
 public:
  shown(char const* function, thread_manager const& node, thread_address of) {
    report_crashes();
    activity::of_this_thread().begins(function, node.program().collection(of.collection).name, of.index, node.self());
  }
  shown(shown const&) = delete;
  shown& operator=(shown const&) = delete;
  ~shown() { activity::of_this_thread().ends(); }
};

}  // namespace

std::shared_ptr<void> thread_states::make(thread_address of) {
  scoped_lock const lock(one_at_a_time_);
  shown const now("the state's maker", node_, of);
  try {
    std::shared_ptr<void> made;
    node_.backend().state_function([&] { made = node_.program().collection(of.collection).state.make(of.index); });
    return made;
  } catch (...) {
    failed("the state's maker", of, std::current_exception());
    return nullptr;
  }
}

std::optional<std::shared_ptr<void>> thread_states::adopt(thread_address of, void* object) {
  try {
    return node_.program().collection(of.collection).state.adopt(object);
  } catch (...) {
    failed("the state's move", of, std::current_exception());
    return std::nullopt;
  }
}

void thread_states::leave(thread_address of, std::shared_ptr<void> state) {
  auto const& take = node_.program().collection(of.collection).state.leave;
  if (!take || !state) return;
  scoped_lock const lock(one_at_a_time_);
  shown const now("on_leave", node_, of);
  try {
    node_.backend().state_function([&] { take(of.index, state.get()); });
  } catch (...) {
    failed("on_leave", of, std::current_exception());
  }
}

void thread_states::failed(char const* function, thread_address of, std::exception_ptr what) {
  failure report = failure_of(std::move(what));
  report.operation = function;
  report.thread = node_.program().name(of);
  report.node = node_name(node_.self());
  node_.backend().fail(report);
}

}  // namespace ovlp::OVLP_INLINE_CORE
