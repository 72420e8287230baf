// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "search/moment.hpp"

namespace ovlp::explore {

/// An interleaving in a file (JSON), as `ovlp explore` keeps one that has failed and --interleaving repeats it.
struct interleaving_file {
  std::vector<std::string> command;  ///< the program and its arguments
  std::string failure;
  interleaving differs;
  std::vector<std::string> story;                 ///< a line for each: what waits, and for what
  std::size_t most_choices = 0;                   ///< of a run; 0: as many as without it
  std::vector<std::uint64_t> plain_results = {};  ///< hashes of the results of calls in the plain order
};

/// Errors: config_error, io_error.
interleaving_file read_interleaving_file(std::string const& file);
/// Errors: io_error.
void write_interleaving_file(std::string const& file, interleaving_file const& what);

}  // namespace ovlp::explore
