// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cpu_grant.hpp"
#include "processor.hpp"

namespace ovlp::sim {

class hosted_processor;

/// What a core knows of a node.
struct core_share {
  double virtual_s = 0;
  double deadline_s = 0;
  double lag_s = 0;  ///< less than the average, when it left
};

/// A core of a machine on which several nodes live, each with a quota of it. A node that has something to compute, and
/// some of its grant left, wants the core; it keeps it until either has ended, until the next beat if others want it,
/// or until one comes that has a better right to it. As Linux does with control groups (EEVDF: I. Stoica, H.
/// Abdel-Wahab, "Earliest eligible virtual deadline first", 1995; kernel/sched/fair.c of Linux 6.18).
///
/// A node's virtual time is what it has had of the core. Those that have had no more than the average of all that want
/// it are eligible; of these the one has the best right whose deadline is the earliest, which is a slice after its
/// virtual time when it came, or when the last one had passed. Who leaves with less than the average comes back with as
/// much less; who has had more, and has nothing to do, comes back with the average. docs/model.md.
class host_core {
 public:
  /// `turn_s`: from beat to beat; 0: there is none. `first_s`: when one is. `slice_s`: 0: none.
  explicit host_core(double turn_s = 0, double first_s = 0, double slice_s = 0)
      : turn_s_(turn_s), first_s_(first_s), slice_s_(slice_s) {}

  /// By one that does not have it.
  void request(hosted_processor& by, double now_s);
  /// By the one that has it and wants it no more; `has_more`: it could go on, but for its grant.
  void release(bool has_more, double now_s);
  /// A beat: the one that has it may have to wait.
  void take_turns(double now_s);
  /// The one that has it has computed so long.
  void charge(core_share& of, double active_s) const;
  bool is_wanted() const { return wanting_.size() > 1; }
  double next_beat_s(double now_s) const;

 private:
  double average_s() const;
  double eligible_up_to_s() const;  ///< virtual time
  hosted_processor* best() const;
  void give_to(hosted_processor& next, double now_s);

  double turn_s_;
  double first_s_;
  double slice_s_;
  double last_average_s_ = 0;
  hosted_processor* running_ = nullptr;
  std::vector<hosted_processor*> wanting_;  ///< in the order of their asking; with the one that has it
};

/// A node with one core, that it shares with others. Its threads take turns on it: one computes until it has nothing
/// more to do, or others wait and it has computed for a time slice; what it begins in the moment in which something of
/// it has ended belongs to the same turn. So does Linux's scheduler. docs/model.md.
class hosted_processor final : public processor {
 public:
  /// `slice_s`: 0: none. `changed` is called when next_event_s() changes otherwise than by a call of ours.
  hosted_processor(double speed, cpu_grant const& grant, double slice_s, host_core& core, std::function<void()> changed)
      : speed_(speed),
        grant_(grant),
        slice_s_(slice_s > 0 ? slice_s : std::numeric_limits<double>::infinity()),
        core_(core),
        changed_(std::move(changed)) {}

  void start(job& j, std::uint64_t sequence, double work_s, double now_s) override;
  void set_taken(double cores, double now_s) override;
  bool idle() const override { return threads_.empty(); }
  double next_event_s() const override;
  std::optional<ended> take_ended(double now_s) override;

  // For the core.
  /// It is ours.
  void run(double now_s);
  /// It is another's.
  void wait(double now_s);
  /// Another node begins to wait for it.
  void wanted(double now_s);
  bool computes() const { return state_ == state::runs; }
  core_share share;  ///< as of the last of these calls

 private:
  struct thread {
    job* what;
    std::uint64_t sequence;
    double left_s;  ///< work
  };
  /// `pauses`: has the core, and nothing to do until now.
  enum class state : std::uint8_t { idle, waits, runs, pauses, used_up };
  void advance(double now_s);
  double rate() const { return speed_ * (1 - taken_); }
  double job_end_s() const { return at_s_ + threads_.front().left_s / rate(); }
  double turn_end_s() const;
  double core_turn_end_s() const {
    return core_.is_wanted() ? core_.next_beat_s(at_s_) : std::numeric_limits<double>::infinity();
  }
  void want_core(double now_s);
  void leave_core(state to, double now_s);

  double const speed_;
  cpu_grant grant_;
  double const slice_s_;
  host_core& core_;
  std::function<void()> const changed_;
  state state_ = state::idle;
  double taken_ = 0;
  double at_s_ = 0;
  std::deque<thread> threads_;  ///< it is the first one's turn
  double turn_left_s_ = 0;
  double ended_at_s_ = -1;          ///< when a job has ended last,
  double left_of_that_turn_s_ = 0;  ///< in the middle of a turn
};

}  // namespace ovlp::sim
