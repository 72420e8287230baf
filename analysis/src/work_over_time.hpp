// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ovlp::analysis {

/// How much work was executed when, in bins of equal width. The width doubles when time outgrows the bins, so memory is
/// bounded, and the width is at most a 4096th of the time that has passed.
class work_over_time {
 public:
  /// Work, spread evenly over the time from start to end.
  void add(double start_s, double end_s, double work_s);
  /// Work executed in between. Within a bin it counts as spread evenly.
  double between(double from_s, double to_s) const;

 private:
  static constexpr std::size_t most_bins = 8192;
  void reach(double end_s);

  bool begun_ = false;
  double origin_s_ = 0;
  double width_s_ = 0;
  std::vector<double> work_s_;
};

}  // namespace ovlp::analysis
