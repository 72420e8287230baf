// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// What execution threads took beside kernels and messages to other nodes: dispatch, mailboxes, routes, deliveries, and
/// what operations compute outside kernels; not what they do with nothing to run. Sums over bursts of steps, of which
/// one has s steps and o objects that stayed on the node, and took t CPU seconds. A data object.
struct runtime_costs {
  double steps = 0;        ///< s
  double objects = 0;      ///< o
  double computed_s = 0;   ///< t
  double objects2 = 0;     ///< o^2 / s
  double computed_so = 0;  ///< t o / s
  /// How often a thread that had nothing to run was given something by another one of its node, and how long that took.
  double wakes = 0;
  double waking_s = 0;

  void add(runtime_costs const& more);
  void add_burst(double burst_steps, double burst_objects, double burst_s);

  struct estimate {
    double per_step_s;    ///< of each step, 0 or more
    double per_object_s;  ///< more of one that ends with such an object, 0 or more
    double per_wake_s;    ///< 0 or more
  };
  /// The least squares of t - per_step_s s - per_object_s o over all bursts, each weighted by 1 / s. So what they
  /// charge adds up to what was measured. None if there were no steps.
  std::optional<estimate> estimated() const;
};

/// Those of all execution threads of a node. Thread: any.
class runtime_cost_collector {
 public:
  void add_burst(double steps, double objects, double computed_s) {
    scoped_lock const lock(mutex_);
    all_.add_burst(steps, objects, computed_s);
  }
  /// A thread that had nothing to run goes on, so long after another one has woken it.
  void add_wake(double took_s) {
    if (took_s > longest_wake_s) return;
    scoped_lock const lock(mutex_);
    all_.wakes += 1;
    all_.waking_s += took_s;
  }
  /// Those so far; they are forgotten here.
  runtime_costs take() {
    scoped_lock const lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  static constexpr double longest_wake_s = 1e-3;  ///< longer ones have waited for a processor that others had

  mutex mutex_;
  runtime_costs all_ OVLP_GUARDED_BY(mutex_);
};

/// What one execution thread measures: its clock now and then, less what does not count. Thread: that one.
class runtime_cost_meter {
 public:
  /// nullptr: nobody wants to know.
  explicit runtime_cost_meter(runtime_cost_collector* to) : to_(to) {}
  bool on() const { return to_ != nullptr; }

  /// Returns whether it is time to tell.
  bool step_ended() { return ++steps_ == steps_of_a_burst; }
  void object_stayed() { ++objects_; }
  /// The thread has computed something that does not count.
  void leave_out(double computed_s) { left_out_s_ += computed_s; }
  /// The end of a burst. What the thread has computed so far, and how much of that the backend leaves out.
  void tell(double computed_s, double aside_s);

 private:
  static constexpr std::uint32_t steps_of_a_burst = 256;
  runtime_cost_collector* to_;
  // Since the last burst:
  std::uint32_t steps_ = 0;
  std::uint32_t objects_ = 0;
  double left_out_s_ = 0;
  // Then:
  double computed_s_ = 0;
  double aside_s_ = 0;
};

}  // namespace ovlp::OVLP_INLINE_CORE
