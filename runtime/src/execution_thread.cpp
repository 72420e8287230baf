// SPDX-License-Identifier: BSD-3-Clause
#include "execution_thread.hpp"

#include <algorithm>

#include "backend.hpp"
#include "dps_thread.hpp"
#include "execution.hpp"
#include "thread_manager.hpp"

namespace ovlp {

execution_thread::~execution_thread() = default;

void execution_thread::enter() {
  if (current_ == nullptr && manager_->stopping()) return;  // nothing of it has run, and there may be no memory
  scheduler::preferred = this;
  if (current_ == nullptr) {
    os_thread_ = std::make_unique<fiber>();
    current_ = &spare();
  }
  os_thread_->switch_to(*current_);
  scheduler::preferred = nullptr;
}

void execution_thread::leave() { current_->switch_to(*os_thread_); }

void execution_thread::loop() {
  while (!manager_->stopping()) {
    dps_thread* const finished = std::exchange(finished_, nullptr);
    bool const more = finished != nullptr && finished->settle(true);
    dps_thread* const next = manager_->scheduler().next(*this, finished, more);
    if (next != nullptr) {
      run_one(*next);
    } else if (!manager_->stopping()) {  // asked again: from here on a stop finds this thread among the idle ones
      manager_->backend().idle(*this);
    }
  }
  leave();
}

void execution_thread::run_one(dps_thread& thread) {
  mail* const item = thread.take_work();
  finished_ = &thread;
  if (item->kind == mail::kind_type::resume) {
    auto& resumed = static_cast<resume_mail*>(item)->operation;
    std::erase(suspended_, &resumed);
    fiber* const here = std::exchange(current_, resumed.suspended_on);
    spare_.push_back(here);
    here->switch_to(*current_);
  } else {
    thread.run(item, *this);
  }
}

void execution_thread::suspend(execution& operation) {
  fiber& next = spare();  // first: it may find no memory
  suspended_.push_back(&operation);
  fiber* const here = std::exchange(current_, &next);
  operation.suspended_on = here;
  here->switch_to(*current_);
  if (manager_->stopping()) throw cancelled{};
}

void execution_thread::unwind() {
  scheduler::preferred = this;
  while (!suspended_.empty()) {
    execution& operation = *suspended_.back();
    suspended_.pop_back();
    current_ = operation.suspended_on;
    os_thread_->switch_to(*current_);
  }
  scheduler::preferred = nullptr;
}

fiber& execution_thread::spare() {
  if (spare_.empty()) {
    fibers_.push_back(std::make_unique<fiber>(stack_bytes_, [this] { loop(); }));
    return *fibers_.back();
  }
  fiber& taken = *spare_.back();
  spare_.pop_back();
  return taken;
}

}  // namespace ovlp
