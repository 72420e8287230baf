// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <ovlp/store/stored_run.hpp>

#include "changes.hpp"

namespace ovlp::lab::study {

/// The time below which no such change can bring a run, in seconds, as its record as it is tells.
using bound_function = std::function<double(stored_run const& as_it_is, std::vector<change> const& changed)>;

struct what_if_options {
  std::vector<std::string> words;  ///< the program and its arguments
  std::vector<change> changes;     ///< one or more
  std::size_t jobs;                ///< programs that run at once
  bound_function bound = {};       ///< none: no bound is told, and nothing is recorded for one
};

/// Simulates a run as it is, then with each change alone, and with all together, and gives a table of the times.
/// Errors: config_error; io_error that says which run failed; support::interrupted.
std::string what_if(what_if_options const& options);

}  // namespace ovlp::lab::study
