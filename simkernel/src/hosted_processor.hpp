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

/// A core of a machine on which several nodes live, each with a quota of it. A node that has something to compute, and
/// some of its grant left, gets the core and keeps it until either has ended, or until the next beat if others wait.
/// Then the one has it that has waited longest since it had it last. So do Linux's control groups. docs/model.md.
class host_core {
 public:
  /// `turn_s`: from beat to beat; 0: there is none. `first_s`: when one is.
  explicit host_core(double turn_s = 0, double first_s = 0) : turn_s_(turn_s), first_s_(first_s) {}

  void request(hosted_processor& by, double now_s);
  /// By the one that has it.
  void release(double now_s);
  bool is_wanted() const { return !waiting_.empty(); }
  double next_beat_s(double now_s) const;

 private:
  double turn_s_;
  double first_s_;
  hosted_processor* running_ = nullptr;
  std::vector<hosted_processor*> waiting_;  ///< in the order of their asking
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
  /// Another node begins to wait for it.
  void wanted(double now_s);
  double had_core_s() const { return had_core_s_; }

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
  double had_core_s_ = -1;          ///< until when
  double ended_at_s_ = -1;          ///< when a job has ended last,
  double left_of_that_turn_s_ = 0;  ///< in the middle of a turn
};

}  // namespace ovlp::sim
