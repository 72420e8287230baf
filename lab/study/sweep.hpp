// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::lab::study {

struct sweep_options {
  std::string plan;                      ///< file: docs/formats/sweep.md
  std::string output;                    ///< file of SQLite
  std::size_t jobs;                      ///< programs that run at once
  std::vector<std::string> choose = {};  ///< options of which the fastest choice is asked for
};

struct sweep_result {
  std::size_t runs;    ///< there now, of all sessions
  std::size_t failed;  ///< of these
  std::string first_failure;
  std::string fastest;  ///< fastest_text(); empty if nothing is chosen
};

/// Runs what is missing of a sweep, each run as a process, and stores its summary; one that fails is stored with the
/// reason. What is stored does not depend on `jobs`. Says on stderr how far it is.
/// Errors: config_error, io_error; base::interrupted, which says what is kept.
sweep_result sweep(sweep_options const& options);

}  // namespace ovlp::lab::study
