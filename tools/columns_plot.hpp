// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ovlp::tools {

struct columns_plot_options {
  std::string runs;              ///< of ovlp sweep
  std::string x, y;              ///< columns
  std::string group;             ///< column; runs that agree in it are a line. Empty: all are one
  std::vector<std::string> log;  ///< axes of logarithms: x, y
  std::string output;            ///< ends in .svg or .png
};

/// Draws a column of a sweep's runs over another one, with gnuplot: where several runs have the same x, the median of
/// their y, and the range. Runs without y are left out: those that failed are. An x that is no number in all runs is a
/// text, and its values stand side by side. Errors: config_error for columns that are not there, or have nothing to
/// draw; io_error. Nothing is written then.
void plot_columns(columns_plot_options const& options);

}  // namespace ovlp::tools
