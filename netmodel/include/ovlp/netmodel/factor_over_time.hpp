// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace ovlp::net {

/// A factor that changes with time, in steps: of a bandwidth, or of a speed. Before the first step it is 1.
/// Thread: any, at once.
class factor_over_time {
 public:
  struct step {
    double from_s;  ///< 0 or more, and later than those before
    double factor;  ///< 0 or more; it holds until the next step
  };

  /// Errors: std::logic_error for steps that are not as said, or not finite.
  explicit factor_over_time(std::vector<step> steps);

  double at(double time_s) const;
  double least() const;
  /// The first change after `time_s`; infinity if there is none.
  double next_change_s(double time_s) const;
  /// Over time, from one moment to a later one.
  double integral(double from_s, double to_s) const;

 private:
  std::vector<step> steps_;
};

}  // namespace ovlp::net
