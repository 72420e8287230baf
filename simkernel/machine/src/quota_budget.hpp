// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {

/// The CPU time that a node under a quota may still spend. Times in seconds, budgets in core seconds.
///
/// A period begins with a new budget; what is left of the last one, up to `carry_s`, is kept beside it. While `use`
/// cores are busy the node is active until nothing is left; then it is throttled until the next period.
/// Source: the Linux kernel's CFS bandwidth control (kernel/sched/fair.c; P. Turner, B. Rao, N. Rao, "CPU bandwidth
/// control for CFS", Linux Symposium 2010), whose cores keep up to 1 ms of what they took from the group.
class quota_budget {
 public:
  quota_budget(cpu_quota const& quota, double cores, double phase_s)
      : period_s_(quota.period_s),
        budget_s_(quota.share * cores * quota.period_s),
        carry_s_(quota.carry_s),
        period_end_s_(phase_s),
        left_s_(budget_s_) {}

  /// Time passes while `use` cores, 0 or more, want to be busy. Returns the seconds of it in which the node was active.
  double pass(double from_s, double to_s, double use);
  /// When the node will have been active for so long.
  double when(double from_s, double active_s, double use) const;

  // For one core that is active without a break. All times as of the last pass().
  bool spent() const { return left_s_ <= 0; }
  /// When all will be spent; infinity: never.
  double spent_s(double from_s) const;
  double refilled_s() const { return period_end_s_; }
  void spend_all() {
    left_s_ = 0;
    throttled_ = true;
  }
  /// Whether a node has ever had to wait for the next period.
  bool throttled() const { return throttled_; }

 private:
  void refill();

  double const period_s_;
  double const budget_s_;
  double const carry_s_;
  double period_end_s_;
  double left_s_;  ///< of the budget of this period and what was carried into it
  bool throttled_ = false;
};

}  // namespace ovlp::machine
