// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include <ovlp/machine/event_queue.hpp>

namespace ovlp::machine {

class processor;

/// Work for a processor: happens when it is done. A processor has it at most once at a time.
class job : public event {};

/// What a thread computes. It belongs to whoever adds it to one, who keeps it until done(), and may be in several, or
/// several times in one.
class task {
 public:
  task() = default;
  task(task const&) = delete;
  task& operator=(task const&) = delete;
  virtual ~task() = default;

  /// The thread has computed what was added with these arguments. It goes on when this returns. May add tasks, itself
  /// too, to this thread or another.
  virtual void done(unsigned step, double work_s) = 0;
};

/// A thread of a virtual node: computes its tasks one after another, on the node's processor.
///
/// Of a node these are its execution threads, whose tasks are atomic steps and what their messages cost them, and an
/// I/O thread, whose tasks are what messages cost. How long a task takes in simulated time, the processor decides,
/// which several threads share.
///
/// Units: work in CPU seconds on the platform's reference core.
/// Thread: that of the event queue.
/// Ownership: the queue and the processor live longer, a thread longer than its tasks are in it.
/// Source: the paper, sections 3 and 4; docs/model.md, "Steps".
class thread final : job {
 public:
  explicit thread(processor& on) : processor_(on) {}

  /// Behind all others. `work_s`: on the reference core, 0 or more. `step`: for done(). If the thread is free, a task
  /// without work is done before this returns. `demand`: of what the node's cores share, 0 to 1 (docs/model.md,
  /// "Processors").
  /// Cost: amortized O(1).
  void add(task& t, double work_s, unsigned step = 0, float demand = 0);
  /// Before all others that have not begun.
  /// Cost: up to O(n), n tasks that wait.
  void add_next(task& t, double work_s, unsigned step = 0);
  /// Whether no task waits; the one that is computed, or just done, does not count.
  bool empty() const { return first_ == waiting_.size(); }

 private:
  struct entry {
    task* what = nullptr;
    double work_s = 0;
    unsigned step = 0;
    float demand = 0;
  };
  void happen() override;  ///< the processor has done the current task's work
  void compute(entry next);
  entry take_first();

  processor& processor_;
  std::vector<entry> waiting_;  ///< from first_ on
  std::size_t first_ = 0;
  entry current_;
  bool busy_ = false;
};

}  // namespace ovlp::machine
