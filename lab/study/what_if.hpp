// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "changes.hpp"

namespace ovlp::lab::study {

/// Simulates a run as it is, then with each change alone, and with all together, and gives a table of the times
/// beside the bounds that the critical path of the first run gives. `words`: the program and its arguments; `changes`:
/// one or more.
/// Errors: config_error; io_error that says which run failed; base::interrupted.
std::string what_if(std::vector<std::string> const& words, std::vector<change> const& changes);

}  // namespace ovlp::lab::study
