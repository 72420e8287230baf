// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>
#include <ovlp/records/run_recorder.hpp>
#include <ovlp/records/run_totals.hpp>

namespace ovlp::report {

/// A figure of a run that the page shows in a table beside those of other runs, by name.
struct metric {
  std::string name;
  double value;
  std::string unit;     ///< "%": the value is a share, shown as per cent; "": a plain number
  std::string meaning;  ///< a sentence
};

/// Efficiencies of an iteration of a call.
struct iteration_metric {
  std::uint64_t call;
  std::int32_t iteration;
  double load_balance;
  double communication;
};

/// What the critical path is spent with.
struct path_cost {
  std::string of;    ///< "operation", "edge", ...
  std::string name;  ///< of that kind
  double seconds;
};

/// A part of the critical path. Times on the run's clock.
struct path_part {
  std::uint32_t node;
  std::uint32_t collection;
  std::uint32_t thread;
  double start_s;
  double end_s;
};

/// What a page shows of a run: functions of the recorded run, or of its sums, and what analyses have found in it.
/// Thread: one at a time.
class run_figures {
 public:
  /// `about`: what the record tells of the run. Of nodes whose capacity it does not tell, each counts as
  /// `cores_otherwise`. Errors: io_error for a run with records of what it does not have.
  run_figures(std::string name, run_facts about, recorded_run run, double cores_otherwise = 1);
  ~run_figures();

  recorded_run const& run() const;
  /// In the place of steps, waits, posts and sends. The page has no timeline then.
  void add(run_totals const& totals);

  /// What a reader must know before anything else: that the run has failed, or not ended. `failed`: efficiencies would
  /// mean nothing. It is the first note.
  void reserve(std::string text, bool failed);
  /// What else a reader must know: of a record that is damaged.
  void note(std::string text);
  std::vector<std::string> const& notes() const;
  /// What an analysis has found. Without it the page does not show these views.
  void set_metrics(std::vector<metric> found);
  void set_iteration_metrics(std::vector<iteration_metric> found);
  void set_critical_path(std::vector<path_part> found, std::vector<path_cost> costs);

 private:
  friend class page;
  struct implementation;
  std::unique_ptr<implementation> const implementation_;
};

/// Which calls of the main program are compared, in a line, if runs have made others besides; else empty.
std::string comparison_of(std::vector<std::unique_ptr<run_figures>> const& runs);

/// Puts runs on a page, side by side, in this order, and gives its HTML, one file that needs no other. Compared are the
/// calls that all of them have made (analysis::match_calls); the first such call of each begins at time 0.
/// Errors: config_error, if this ovlp was built without pages.
std::string make_page(std::vector<std::unique_ptr<run_figures>> const& runs);

}  // namespace ovlp::report
