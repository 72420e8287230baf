// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <ovlp/machine/event_queue.hpp>

namespace ovlp::machine {

class processor;

/// Work for a processor: happens when it is done.
class job : public event {};

/// What a thread computes. It belongs to whoever adds it to one, and may be in several, or several times in one.
class task {
 public:
  task() = default;
  task(task const&) = delete;
  task& operator=(task const&) = delete;
  virtual ~task() = default;

  /// The thread has computed what was added with these arguments. It goes on when this returns.
  virtual void done(unsigned step, double work_s) = 0;
};

/// A thread of a virtual node: computes its tasks one after another, on the node's processor.
class thread final : job {
 public:
  thread(event_queue& events, processor& on) : events_(events), processor_(on) {}

  /// Behind all others. `work_s`: on the reference core, 0 or more. `step`: for done().
  void add(task& t, double work_s, unsigned step = 0);
  /// Before all others that have not begun.
  void add_next(task& t, double work_s, unsigned step = 0);
  /// Whether no task waits; the one that is computed, or just done, does not count.
  bool empty() const { return first_ == waiting_.size(); }

 private:
  struct entry {
    task* what = nullptr;
    double work_s = 0;
    unsigned step = 0;
  };
  void happen() override;
  void go_on();
  entry take_first();

  event_queue& events_;
  processor& processor_;
  std::vector<entry> waiting_;  ///< from first_ on
  std::size_t first_ = 0;
  entry current_;
  bool busy_ = false;
};

}  // namespace ovlp::machine
