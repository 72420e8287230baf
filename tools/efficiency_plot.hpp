// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ovlp::tools {

enum class efficiency_kind { iteration, interval, time };

struct plot_options {
  std::vector<std::string> inputs;      ///< CSV files, one for each run
  std::string output;                   ///< ends in .svg or .png
  std::optional<efficiency_kind> kind;  ///< none: by interval if iterations of a run overlap, else by iteration
};

/// Draws the dynamic efficiency of runs over their iterations, or over time, and the nodes that they held, with
/// gnuplot. Format of the input: docs/formats/efficiency.md. Errors: config_error for wrong input, with file and line;
/// io_error. Nothing is written then. Returns what it drew.
efficiency_kind plot_efficiency(plot_options const& options);

}  // namespace ovlp::tools
