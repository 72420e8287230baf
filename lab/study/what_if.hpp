// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "changes.hpp"

namespace ovlp::lab::study {

struct what_if_options {
  std::vector<std::string> words;  ///< the program and its arguments
  std::vector<change> changes;     ///< one or more
  std::size_t jobs;                ///< programs that run at once
};

/// Simulates a run as it is, then with each change alone, and with all together, and gives a table of the times
/// beside the bounds that the critical path of the first run gives.
/// Errors: config_error; io_error that says which run failed; base::interrupted.
std::string what_if(what_if_options const& options);

}  // namespace ovlp::lab::study
