// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/simkernel/platform.hpp>

namespace ovlp::sim {

/// The CPU time that a quota still grants a node. Times in seconds, grants in core seconds.
///
/// A period begins with a new grant; what is left of the last one, up to `carry_s`, is kept beside it. While `use`
/// cores are busy the node is active until nothing is left; then it stands still until the next period.
/// Source: the Linux kernel's CFS bandwidth control, whose cores keep up to 1 ms of what they took from the group.
class cpu_grant {
 public:
  cpu_grant(cpu_quota const& quota, double cores, double phase_s)
      : period_s_(quota.period_s),
        grant_s_(quota.share * cores * quota.period_s),
        carry_s_(quota.carry_s),
        period_end_s_(phase_s),
        left_s_(grant_s_) {}

  /// Time passes while `use` cores, 0 or more, want to be busy. Returns the seconds of it in which the node was active.
  double pass(double from_s, double to_s, double use);
  /// When the node will have been active for so long.
  double when(double from_s, double active_s, double use) const;

  // For one core that is active without a break. All times as of the last pass().
  bool used_up() const { return left_s_ <= 0; }
  /// When the grant will be used up; infinity: never.
  double used_up_s(double from_s) const;
  double renewed_s() const { return period_end_s_; }
  void use_up() { left_s_ = 0; }

 private:
  void renew();

  double const period_s_;
  double const grant_s_;
  double const carry_s_;
  double period_end_s_;
  double left_s_;  ///< of the grant of this period and what was carried into it
};

}  // namespace ovlp::sim
