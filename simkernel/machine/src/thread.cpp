// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/thread.hpp>

#include "processor.hpp"

namespace ovlp::machine {

void thread::add(task& t, double work_s, unsigned step) {
  waiting_.push_back({&t, work_s, step});
  if (!busy_) go_on();
}

void thread::add_next(task& t, double work_s, unsigned step) {
  if (first_ == 0) {
    waiting_.insert(waiting_.begin(), {&t, work_s, step});
  } else {
    waiting_[--first_] = {&t, work_s, step};
  }
  if (!busy_) go_on();
}

void thread::happen() {
  current_.what->done(current_.step, current_.work_s);
  go_on();
}

/// Begins the next task. Those without work are done at once.
void thread::go_on() {
  busy_ = true;
  while (!empty()) {
    current_ = take_first();
    if (current_.work_s > 0) {
      processor_.start(*this, current_.work_s);
      return;
    }
    current_.what->done(current_.step, 0);
  }
  busy_ = false;
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
