// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace ovlp::store {

/// What a node's clock is to be corrected by: a time t on it is t + offset_s + drift * t on the run's.
struct clock_correction {
  double offset_s = 0;
  double drift = 0;
  /// The correction is wrong by so much at most where the bounds are closest; below zero if no line keeps them all.
  double error_s = 0;

  double operator()(double at_s) const { return at_s + offset_s + drift * at_s; }
};

/// A message between the node and one whose clock is the run's says: at `at_s` on the node's clock the correction is at
/// least so much (the node got it after it was sent), or at most (it was got after the node sent it).
struct clock_bound {
  double at_s;
  double correction_s;
};

/// The line between the bounds that keeps most away from them: so no message arrives before it was sent. Clocks of
/// computers drift by less than 1e-4. With bounds on one side only, the closest: as if the fastest message took no
/// time. Source: A. Duda et al., "Estimating global time in distributed systems", ICDCS 1987.
clock_correction fit_clock(std::vector<clock_bound> at_least, std::vector<clock_bound> at_most);

}  // namespace ovlp::store
