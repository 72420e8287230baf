// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/files.hpp>

namespace ovlp::lab::study {

/// `where`: what named it, a file or one on PATH. Errors: config_error, if there is no such program.
void expect_program(std::string const& name, std::string const& where);

/// What a program has said of its run, or why it has not, in one line.
struct simulated {
  nlohmann::ordered_json summary = {};  ///< docs/formats/summary.md
  std::string failure = {};             ///< empty: it went well

  /// Errors: io_error "WHAT: FAILURE".
  nlohmann::ordered_json const& expect(std::string const& what = {}) const;
};

/// Runs programs that are linked with the simulated backend, for their summaries. What they write is in a folder that
/// lives as long as this. Errors, of members: base::interrupted; io_error for what cannot be started.
class simulator {
 public:
  using words = std::vector<std::string>;  ///< a program and its arguments, without --summary

  explicit simulator(std::size_t at_once, std::optional<std::chrono::duration<double>> time_limit = {})
      : at_once_(at_once), time_limit_(time_limit) {}

  std::string file(std::string const& name) const { return (folder_.path() / name).string(); }

  simulated run(words const& what) const;
  /// As base::run_many(). `words_of` gets a folder for the run's own files, which no other running program has.
  void run_all(std::size_t count, std::function<words(std::size_t number, std::string const& folder)> const& words_of,
               std::function<void(std::size_t number, simulated const&)> const& ended) const;

 private:
  base::temporary_folder const folder_;
  std::size_t const at_once_;
  std::optional<std::chrono::duration<double>> const time_limit_;  ///< of one run
};

}  // namespace ovlp::lab::study
