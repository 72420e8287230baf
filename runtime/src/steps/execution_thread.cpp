// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/execution_thread.hpp>

#include <utility>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "steps/crashes.hpp"
#include "steps/dps_thread.hpp"
#include "steps/execution.hpp"
#include "steps/fiber.hpp"
#include "steps/loop_pool.hpp"
#include "steps/mail.hpp"
#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {

execution_thread::execution_thread(thread_manager& manager, loop_pool& loops)
    : costs(manager.settings().costs), manager_(&manager), loops_(&loops) {}

execution_thread::~execution_thread() = default;

/// To make one anew, and to end it, are some 190 instructions.
execution& execution_thread::new_execution() {
  return ended_ != nullptr ? *ended_.release() : *new execution(*manager_);
}

/// Where execution threads are many, as those of simulated nodes, none keeps one to itself.
void execution_thread::keep(execution& ended) {
#ifndef OVLP_ONE_THREAD
  if (ended_ == nullptr) {
    ended.clear();
    ended_.reset(&ended);
    return;
  }
#endif
  delete &ended;
}

/// The stack of the calling OS thread. Not inlined: an operation goes on in another OS thread after a switch.
[[gnu::noinline]] fiber& execution_thread::os_thread() {
  thread_local fiber own;
  return own;
}

void execution_thread::enter() {
  if (current_ == nullptr && manager_->stopping()) return;  // nothing of it is on a stack, and there may be no memory
  scheduler::set_self(this);
  if (os_thread_ == nullptr) {
    report_crashes();
    os_thread_ = &os_thread();
    activity_ = &ovlp::activity::of_this_thread();
  }
  if (current_ == nullptr) take_over(loops_->take());
  execution const* const goes_on = ending_ != nullptr ? ending_ : current_->operation;
  if (goes_on != nullptr) goes_on->show(*activity_);  // others ran on this OS thread meanwhile
  os_thread_->switch_to(current_->fiber);
  scheduler::set_self(nullptr);
}

void execution_thread::leave() {
  activity_->ends();
  current_->fiber.switch_to(*os_thread_);
}

void execution_thread::park() {
  loop_fiber& here = *std::exchange(current_, nullptr);
  loops_->give(here);
  activity_->ends();
  here.fiber.switch_to(*os_thread_);
}

void execution_thread::take_over(loop_fiber& loop) {
  current_ = &loop;
  loop.host = this;
}

execution const& execution_thread::running() const { return ending_ != nullptr ? *ending_ : *current_->operation; }

operation_place execution_thread::place() const { return running().where(); }

/// One turn of the loop. Nothing may follow the operation that it runs: that may end in another execution thread.
void execution_thread::turn() {
  if (loop_fiber* const left = std::exchange(left_, nullptr)) keep_or_give(*left);
  if (ending_ != nullptr && !conclude()) {
    park();
    return;
  }
  if (manager_->stopping()) {
    leave();
    return;
  }
  dps_thread* const finished = std::exchange(finished_, nullptr);
  bool const more = finished != nullptr && finished->sort_mail(true);
  dps_thread* const next = manager_->scheduler().next(*this, finished, more);
  if (next != nullptr) {
    run_one(*next);
  } else if (!manager_->stopping()) {  // asked again: from here on a stop finds this thread among the idle ones
    tell_costs();
    manager_->backend().idle(*this);
  }
}

void execution_thread::tell_costs() {
  if (costs.on()) costs.tell(manager_->backend().computed_s(), manager_->backend().aside_s());
}

/// Returns whether the operation is over: not while the time of its last step passes.
bool execution_thread::conclude() {
  bool const stopping = manager_->stopping();
  if (!stopping && !std::exchange(last_step_ends_, true) &&
      !manager_->backend().end_last_step(ending_->has_result() ? step_end::posts : step_end::wait)) {
    return false;
  }
  last_step_ends_ = false;
  execution& over = *std::exchange(ending_, nullptr);
  if (!stopping) over.end();
  over.thread().forget(over);
  return true;
}

void execution_thread::run_one(dps_thread& thread) {
  mail_ptr work = thread.take_work();
  finished_ = &thread;
  if (work->kind == mail::kind_type::resume) {
    resume(operation_of(std::move(work)));
  } else {
    thread.run(std::move(work), *this);
  }
}

void execution_thread::resume(execution& operation) {
  left_ = current_;
  operation.resumed_by(*this);
  take_over(*std::exchange(operation.suspended_on, nullptr));
  left_->fiber.switch_to(current_->fiber);
}

void execution_thread::suspend(execution& operation) {
  loop_fiber& here = *current_;
  take_over(another_loop());
  operation.suspended_on = &here;
  activity_->ends();
  here.fiber.switch_to(current_->fiber);
}

/// There may be no memory for a new one.
loop_fiber& execution_thread::another_loop() {
  if (left_ != nullptr) return *std::exchange(left_, nullptr);
  if (spare_ != nullptr) return *std::exchange(spare_, nullptr);
  return loops_->take();
}

/// Nor a stack.
void execution_thread::keep_or_give(loop_fiber& left) {
#ifndef OVLP_ONE_THREAD
  if (spare_ == nullptr) {
    spare_ = &left;
    return;
  }
#endif
  loops_->give(left);
}

void execution_thread::unwind(execution& operation) {
  scheduler::set_self(this);
  os_thread_ = &os_thread();
  activity_ = &ovlp::activity::of_this_thread();
  operation.resumed_by(*this);
  take_over(*std::exchange(operation.suspended_on, nullptr));
  os_thread_->switch_to(current_->fiber);
  scheduler::set_self(nullptr);
}

}  // namespace ovlp::OVLP_INLINE_CORE
