// SPDX-License-Identifier: BSD-3-Clause
// How much work an operation hides: the most that can be injected while it is under way without making it longer. The
// search asks for runs and looks at their times; who runs them, and on what, it does not know.
// Source: the OpenHPCA overlap benchmark (github.com/openucx/openhpca), from which docs/overlap-bench.md says what
// differs.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace ovlp::overlap_bench {

/// One run of an operation. Each time is the largest of all ranks', which start together.
struct run_times {
  double total_s;  ///< from the start until both the operation and the work have ended
  double post_s;   ///< of that, until the operation has been initiated and work can begin
  double wait_s;   ///< of that, after the end of the work
};

/// Runs the operation so often with work of so many seconds in each rank. Errors: what it throws ends the search.
using measurement = std::function<std::vector<run_times>(double work_s, std::size_t runs)>;

struct search_options {
  std::size_t warm_up = 5;  ///< runs before each search, which nobody looks at
  /// Of the reference. It gets up to ten times as many, until its standard error is within the resolution; and so does
  /// each trial.
  std::size_t runs = 20;
  std::size_t validations = 2;  ///< repetitions of a trial that fails; it passes if one of them does
  std::size_t searches = 6;     ///< each with a reference of its own
  double resolution = 0.01;     ///< of the work, as a part of the reference time
  double tolerance = 0;         ///< by which a trial may be longer, whatever the error, as a part of the reference time
};

/// What one search has found.
struct hidden_work {
  double reference_s;        ///< median of the operation's time without work
  double reference_error_s;  ///< standard error of that
  double work_s;             ///< the most that passed
  double too_much_s;         ///< the least that failed
  double post_s, wait_s;     ///< medians of the runs with `work_s`
};

/// Bisects on time, between no work and as much as the operation takes. A trial has as many runs as the reference; it
/// passes if the median of its totals is at most the reference's median and twice the standard error of that, or the
/// tolerance if that is more.
/// Cost: log2(1 / resolution) trials, those that fail 1 + `validations` times.
/// Errors: config_error for an operation that takes no time.
hidden_work find_hidden_work(measurement const& measure, search_options const& options);

/// What several searches have found.
struct overlap {
  double reference_s, reference_error_s, work_s;  ///< medians of the searches'
  double hidden;                                  ///< median of work_s / reference_s
  /// Confidence interval of that median: the least and the largest of n searches, which have it between them with
  /// probability 1 - 2^(1 - n), whatever the distribution: 96.9 % for 6. Of one search the bracket in which its
  /// bisection ended: exact, if runs do not vary.
  double hidden_low, hidden_high;
  double post, wait;  ///< medians of post_s / reference_s and wait_s / reference_s
};
overlap measure_overlap(measurement const& measure, search_options const& options);

/// Standard error of the median, from the distance of two order statistics around it; 0 of one value.
/// Source: J. W. McKean, R. M. Schrader, "A comparison of methods for studentizing the sample median", Communications
/// in Statistics - Simulation and Computation 13 (1984).
double standard_error_of_median(std::vector<double> values);

/// The least power of two of bytes with which an operation takes `least_s`: time-driven measurements.
/// Errors: config_error if none up to `most_bytes` does.
std::size_t bytes_that_take(double least_s, std::size_t most_bytes,
                            std::function<double(std::size_t bytes)> const& time_s);

}  // namespace ovlp::overlap_bench
