// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ovlp::lab::study {

/// Options by name, each with a number, a text, true, or a list of numbers and texts: it is given several times.
using option_values = std::map<std::string, nlohmann::json>;

/// What a sweep is to run. Format: docs/formats/sweep.md.
struct sweep_plan {
  std::string file;  ///< that it was read from
  std::string program;
  std::optional<std::chrono::duration<double>> time_limit;  ///< of one run
  std::vector<std::string> arguments;                       ///< of every run, after its options
  option_values options;                                    ///< of every run
  std::vector<option_values> runs;                          ///< all options of each
  std::string text;                                         ///< two plans with the same text have the same runs

  /// As words of a command.
  std::vector<std::string> command_of(option_values const& run) const;

  /// Errors: config_error that names file, key and what was expected.
  static sweep_plan read(std::string const& file);
};

/// The value as a text, those of a list with blanks between: "2@1 2@2".
std::string as_text(nlohmann::json const& value);

}  // namespace ovlp::lab::study
