// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
struct run_figures {
  std::string name;
  run_facts about;  ///< what the record tells of the run
  recorded_run run;
  double cores_otherwise = 1;  ///< of each node whose capacity the record does not tell
  /// In the place of steps, waits, posts and sends. The page has no timeline then.
  std::optional<run_totals> totals = {};

  std::string reservation = {};         ///< that the run has failed, or not ended, in a line; empty: neither
  bool failed = false;                  ///< so efficiencies would mean nothing
  std::vector<std::string> notes = {};  ///< what a reader must know before anything else: the reservation first

  // What analyses have found. Without it the page does not show these views.
  std::vector<metric> metrics = {};
  std::map<std::pair<std::uint64_t, std::int32_t>, iteration_metric> iteration_metrics = {};  ///< by call and iteration
  std::vector<path_part> critical_path = {};
  std::vector<path_cost> path_costs = {};
};

/// Which calls of the main program are compared, in a line, if runs have made others besides; else empty.
std::string comparison_of(std::vector<run_figures> const& runs);

/// Puts runs on a page, side by side, in this order, and gives its HTML, one file that needs no other. Compared are the
/// calls that all of them have made (analysis::match_calls); the first such call of each begins at time 0.
/// Errors: config_error, if this ovlp was built without pages; io_error for a run with records of what it does not
/// have.
std::string make_page(std::vector<run_figures> const& runs);

}  // namespace ovlp::report
