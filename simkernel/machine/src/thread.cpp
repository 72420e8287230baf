// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/thread.hpp>

#include "processor.hpp"

namespace ovlp::machine {

void thread::add(task& t, double work_s, unsigned step, float demand) {
  if (busy_) {
    waiting_.push_back({&t, work_s, step, demand});
  } else {
    compute({&t, work_s, step, demand});
  }
}

void thread::add_next(task& t, double work_s, unsigned step) {
  if (!busy_) {
    compute({&t, work_s, step});
  } else if (first_ == 0) {
    waiting_.insert(waiting_.begin(), {&t, work_s, step});
  } else {
    waiting_[--first_] = {&t, work_s, step};
  }
}

void thread::happen() {
  processor_.done(current_.work_s);
  current_.what->done(current_.step, current_.work_s);
  if (empty()) {
    busy_ = false;
  } else {
    compute(take_first());
  }
}

/// Begins the task. One without work is done at once, and the next one begins.
void thread::compute(entry next) {
  busy_ = true;
  while (next.work_s == 0) {
    next.what->done(next.step, 0);
    if (empty()) {
      busy_ = false;
      return;
    }
    next = take_first();
  }
  current_ = next;
  processor_.start(*this, next.work_s, next.demand);
}

thread::entry thread::take_first() {
  entry const taken = waiting_[first_++];
  // Where many are passed, their places are used again.
  constexpr std::size_t many = 64;
  if (empty()) {
    waiting_.clear();
    first_ = 0;
  } else if (first_ > many && first_ > waiting_.size() / 2) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return taken;
}

}  // namespace ovlp::machine
