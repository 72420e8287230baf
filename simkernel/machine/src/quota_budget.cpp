// SPDX-License-Identifier: BSD-3-Clause
#include "quota_budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ovlp::machine {

/// A period ends, and the next one begins.
void quota_budget::refill() {
  // A core draws the group's whole budget at once, so what it has not used is its own; a budget not drawn lapses.
  double const drawn_s = left_s_ <= budget_s_ ? left_s_ : left_s_ - budget_s_;
  left_s_ = budget_s_ + std::min(drawn_s, carry_s_);
  period_end_s_ += period_s_;
}

double quota_budget::pass(double from_s, double to_s, double use) {
  if (use <= 0) {
    if (to_s >= period_end_s_) {
      refill();
      period_end_s_ += period_s_ * std::max(0.0, std::floor((to_s - period_end_s_) / period_s_ + 1));
    }
    return to_s - from_s;
  }
  double active_s = 0;
  for (double at_s = from_s;; at_s = period_end_s_, refill()) {
    double const now_s = std::min(std::max(0.0, std::min(to_s, period_end_s_) - at_s), left_s_ / use);
    active_s += now_s;
    left_s_ = std::max(0.0, left_s_ - now_s * use);
    if (to_s < period_end_s_) {
      constexpr double but_for_rounding = 1 - 1e-9;
      throttled_ = throttled_ || active_s < but_for_rounding * (to_s - from_s);
      return active_s;
    }
    double const full_s = std::min(period_s_, budget_s_ / use);
    double const whole = std::floor((to_s - period_end_s_) / period_s_);
    // With nothing carried, all whole periods are alike.
    if (left_s_ == 0 && whole > 1) {
      active_s += (whole - 1) * full_s;
      period_end_s_ += (whole - 1) * period_s_;
    }
  }
}

double quota_budget::spent_s(double from_s) const {
  if (budget_s_ >= period_s_) return std::numeric_limits<double>::infinity();
  quota_budget ahead = *this;
  for (double at_s = from_s;; at_s = ahead.period_end_s_, ahead.refill()) {
    double const rest_s = std::max(0.0, ahead.period_end_s_ - at_s);
    if (ahead.left_s_ <= rest_s) return at_s + ahead.left_s_;
    ahead.left_s_ -= rest_s;
  }
}

double quota_budget::when(double from_s, double active_s, double use) const {
  quota_budget ahead = *this;
  double const full_s = std::min(period_s_, budget_s_ / use);
  for (double at_s = from_s;; at_s = ahead.period_end_s_, ahead.refill()) {
    double const now_s = std::min(std::max(0.0, ahead.period_end_s_ - at_s), ahead.left_s_ / use);
    if (active_s <= now_s) return at_s + active_s;
    active_s -= now_s;
    ahead.left_s_ = std::max(0.0, ahead.left_s_ - now_s * use);
    if (ahead.left_s_ == 0) {
      double const whole = std::max(0.0, std::ceil(active_s / full_s) - 1);
      active_s -= whole * full_s;
      ahead.period_end_s_ += whole * period_s_;
    }
  }
}

}  // namespace ovlp::machine
