// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

namespace ovlp::tools {

// What options take. Each says what was expected, and what it got.

/// To transform by: 010 is ten.
CLI::Validator whole_number(std::size_t least, std::size_t most);
/// A finite number.
CLI::Validator quantity(double least, double most);
/// `words`: separated by |.
CLI::Validator among(std::string const& words);

/// --jobs: programs that run at once; without it as many as there are cores.
void add_jobs(CLI::App& to, std::size_t& jobs);

/// Errors: config_error if what is to be written is what is read.
void expect_another_file(std::string const& output, std::string const& input);

}  // namespace ovlp::tools
