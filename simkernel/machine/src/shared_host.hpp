// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "processor.hpp"
#include "quota_budget.hpp"
#include "unsteady_speed.hpp"

namespace ovlp::machine {

class shared_processor;

/// What a core's scheduler knows of a node.
struct scheduling_entity {
  double virtual_s = 0;   ///< virtual time: what it has had of the core
  double deadline_s = 0;  ///< in virtual time
  double lag_s = 0;       ///< how far it was behind the average when it left
};

/// A core of a machine on which several nodes live, each with a quota, and the scheduler of that core. A node that has
/// something to compute, and budget left, asks for the core; it keeps it until either has ended, or until one becomes
/// runnable that goes before it.
///
/// The nodes whose virtual time is at most the average of all that are runnable are eligible; of these the one with the
/// earliest virtual deadline goes first, which is a time slice after its virtual time when it came, or when the last
/// deadline had passed. Who leaves behind the average comes back as far behind; who leaves ahead of it, and has nothing
/// to do, comes back at the average. docs/model.md.
/// Source: EEVDF: I. Stoica, H. Abdel-Wahab, "Earliest eligible virtual deadline first", 1995; Linux 6.18,
/// kernel/sched/fair.c, for control groups.
class host_core {
 public:
  /// `slice_s`: 0: none.
  explicit host_core(double slice_s = 0) : slice_s_(slice_s) {}

  /// By one that does not run.
  void enqueue(shared_processor& node, double now_s);
  /// By the one that runs, and is runnable no more; `throttled`: only for want of budget.
  void dequeue(bool throttled, double now_s);
  /// The one that runs has computed so long.
  void charge(scheduling_entity& to, double active_s) const;
  double slice_s() const { return slice_s_; }

 private:
  double average_s() const;
  double eligible_up_to_s() const;
  shared_processor* pick() const;
  void switch_to(shared_processor& next, double now_s);

  double slice_s_;
  double last_average_s_ = 0;
  shared_processor* running_ = nullptr;
  std::vector<shared_processor*> runnable_;  ///< in the order of their coming; with the one that runs
};

/// A node on a core that it shares with others. Its threads run one at a time: one computes until it has nothing more
/// to do, or others wait and its time slice has passed; what it begins in the moment in which something of it has ended
/// belongs to the same slice. docs/model.md.
class shared_processor final : public processor {
 public:
  shared_processor(event_queue& events, unsteady_speed speed, quota_budget const& budget,
                   std::shared_ptr<host_core> core);

  bool idle() const override { return threads_.empty(); }
  bool throttled() const override { return budget_.throttled(); }
  double next_event_s() const override;
  void advance(double now_s, std::vector<event*>& due) override;

  // For the core.
  void run(double now_s);
  void preempt(double now_s);
  /// Another node becomes runnable.
  void contend(double now_s);
  bool computes() const { return state_ == state::runs; }
  scheduling_entity entity;  ///< as of the last of these calls

 private:
  struct thread {
    job* what;
    double left_s;  ///< work
  };
  /// `lingers`: has the core, and nothing to do until now.
  enum class state : std::uint8_t { idle, waits, runs, lingers, throttled };
  void start_at(double now_s, job& j, double work_s, float demand) override;
  void serve_until(double now_s) override;
  void taken_has_changed() override {}
  double rate() const { return speed_.now() * (1 - taken()); }
  double job_end_s() const;
  double slice_end_s() const;
  void enqueue(double now_s);
  void dequeue(state to, double now_s);

  unsteady_speed speed_;
  quota_budget budget_;
  double const slice_s_;
  std::shared_ptr<host_core> core_;
  state state_ = state::idle;
  double at_s_ = 0;
  std::deque<thread> threads_;  ///< the first one runs when the node does
  double slice_left_s_ = 0;
  double ended_at_s_ = -1;           ///< when a job has ended last,
  double left_of_that_slice_s_ = 0;  ///< in the middle of a slice
};

}  // namespace ovlp::machine
