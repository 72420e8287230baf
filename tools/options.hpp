// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ovlp::tools {

/// An option of a subcommand: `type` is its value in --help, `check` a validator below.
template <class Value>
CLI::Option* add_option(CLI::App& to, std::string const& name, Value& value, std::string const& type,
                        std::string const& what, CLI::Validator const& check = CLI::Validator()) {
  return to.add_option(name, value, what)->type_name(type)->transform(check);
}
/// One that must be given.
template <class Value>
CLI::Option* add_required(CLI::App& to, std::string const& name, Value& value, std::string const& type,
                          std::string const& what, CLI::Validator const& check = CLI::Validator()) {
  return add_option(to, name, value, type, what, check)->required();
}
/// One that takes one of these words, which | separates.
CLI::Option* add_choice(CLI::App& to, std::string const& name, std::string& word, std::string const& words,
                        std::string const& what);

/// One that takes numbers above 0, with commas between.
CLI::Option* add_numbers(CLI::App& to, std::string const& name, std::vector<double>& numbers, std::string const& type,
                         std::string const& what);

// What options take. Each says what was expected, and what it got.

/// To transform by: 010 is ten.
CLI::Validator whole_number(std::size_t least, std::size_t most);
/// A finite number.
CLI::Validator quantity(double least, double most);
/// `words`: separated by |.
CLI::Validator among(std::string const& words);

/// --jobs: programs that run at once; without it as many as there are cores.
void add_jobs(CLI::App& to, std::size_t& jobs);

/// -o, --output: a picture that must be given.
void add_picture_output(CLI::App& to, std::string& file);
/// Of --picture; empty: none. Errors: config_error, if its name says no format.
void expect_picture(std::string const& file);

/// Errors: config_error if what is to be written is what is read.
void expect_another_file(std::string const& output, std::string const& input);

}  // namespace ovlp::tools
