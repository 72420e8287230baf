// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ovlp {

/// How much work was executed when, in bins of equal width. The width doubles when time outgrows the bins, so memory is
/// bounded, and the width is at most the time that has passed by half of the bins. A data object.
struct work_over_time {
  double origin_s = 0;  ///< when the first bin begins
  double width_s = 0;
  std::vector<double> bins_s = {};  ///< work; empty: none yet
  std::uint64_t most_bins = 8192;

  /// Work, spread evenly over the time from start to end.
  void add(double start_s, double end_s, double work_s);
  /// That of others, bin by bin.
  void add(work_over_time const& other);
  /// Work executed in between. Within a bin it counts as spread evenly.
  double between(double from_s, double to_s) const;
};

/// When the steps of an iteration began and ended, and their work.
struct iteration_work {
  double start_s;
  double end_s;
  double work_s;
};

}  // namespace ovlp
