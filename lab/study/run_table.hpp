// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <ovlp/base/database.hpp>

#include "sweep_plan.hpp"

namespace ovlp::lab::study {

/// The runs of a sweep, in a file of SQLite. A run is there once add() has returned, whatever ends the process then.
/// Format: docs/formats/sweep.md. Thread: one at a time. Errors: io_error.
class run_table {
 public:
  /// Goes on with a file of this plan, or makes one. Errors: also config_error, if the file is of another plan.
  run_table(std::string file, sweep_plan const& plan);
  run_table(run_table const&) = delete;
  run_table& operator=(run_table const&) = delete;
  /// Leaves one file, with a column for each figure of the runs.
  ~run_table();

  bool has(std::size_t number) const { return there_.contains(number); }
  std::size_t count() const { return there_.size(); }

  /// A run that went well. `host`: figures of it that may differ from time to time.
  void add(std::size_t number, option_values const& options, nlohmann::ordered_json const& summary,
           nlohmann::ordered_json const& host);
  void add_failure(std::size_t number, option_values const& options, std::string const& error);

  /// Of a run that went well.
  std::optional<nlohmann::ordered_json> summary(std::size_t number) const;

  std::size_t failed() const;
  /// Of the first run that failed; "" if none has.
  std::string first_failure() const;

 private:
  void make(sweep_plan const& plan);
  void expect_plan(sweep_plan const& plan) const;
  void make_columns();

  mutable base::database tables_;
  std::set<std::size_t> there_;
};

/// Opens a file of a sweep to read it. Errors: io_error.
base::database open_runs(std::string const& file);
/// The columns of its view `runs`.
std::vector<std::string> columns_of(base::database& runs);

}  // namespace ovlp::lab::study
