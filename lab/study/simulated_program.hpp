// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/base/process.hpp>

namespace ovlp::lab::study {

// A program linked with the simulated backend, which is run for its summary: docs/formats/summary.md.

/// `where`: what named it. Errors: config_error, if there is no such program.
void expect_program(std::string const& name, std::string const& where);

/// The program with its options, told to write its summary there; what is there goes.
base::command summarized(std::vector<std::string> words, std::string const& file,
                         std::optional<std::chrono::duration<double>> time_limit = {});

/// What it has written. Errors: io_error that says in one line why the run was not good, or was none of a simulation.
nlohmann::ordered_json summary_of(base::outcome const& ran, std::string const& file);

}  // namespace ovlp::lab::study
