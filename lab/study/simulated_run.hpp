// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ovlp::lab::study {

/// Values of an option, which go from the words of a command: "--name VALUE" or "--name=VALUE".
std::vector<std::string> take_option(std::vector<std::string>& words, std::string const& option);

/// The words without the options that name what a run writes, of which another run has others.
std::vector<std::string> without_outputs(std::vector<std::string> words);

/// A simulated run as its command line says it, with the contents of the files that say how long things take: so they
/// can be changed.
struct simulated_run {
  nlohmann::json platform;                ///< docs/formats/platform.md
  std::vector<nlohmann::json> durations;  ///< docs/formats/durations.md
  std::optional<std::size_t> nodes;       ///< of --nodes
  std::string program;
  std::vector<std::string> other_words;  ///< its arguments, but for those that these were read from, and its outputs

  /// `words`: the program and its arguments. Errors: config_error, also for files that are wrong.
  static simulated_run read(std::vector<std::string> const& words);

  /// Writes the files to a folder, and gives the command that runs with them. Errors: io_error.
  std::vector<std::string> command_with_files_in(std::filesystem::path const& folder) const;
};

}  // namespace ovlp::lab::study
