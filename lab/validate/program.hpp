// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/base/files.hpp>

#include "grid.hpp"

namespace ovlp::lab::validate {

/// Where things are.
struct places {
  std::string output;    ///< folder of all results
  std::string build;     ///< programs of the grid are relative to it
  std::string testbeds;  ///< the scripts up, down, run and calibrate
  /// Folder of an earlier validation: its platforms and kernel durations are used, and no others are measured. Empty:
  /// those of this one.
  std::string calibrated;
  bool record_durations = false;  ///< of kernels, in spite of an earlier validation

  bool has_earlier_durations() const { return !calibrated.empty() && !record_durations; }
};

std::string in_build(places const& where, std::string const& name);
/// The platform file of a testbed.
std::string platform_of(testbed const& t, places const& where);
/// The same with the paper's plain model: written beside it by the calibration.
std::string plain_platform_of(testbed const& t, places const& where);

/// A program of the build with its own options and those of a configuration. Files of plans are in the output folder.
words command_of(words const& program, std::string const& options, places const& where);

/// `real`: those that run for real are needed, too.
/// Errors: config_error that names an application whose programs are not in the build.
void check_programs(grid const& of, places const& where, bool real);
/// Errors: config_error that names the script that is missing.
void check_scripts(places const& where);

void append(words& to, words const& more);

/// Temporary files of one run, in a folder of their own, so that a report can be made while a grid is measured.
class scratch {
  base::temporary_folder folder_;

 public:
  std::string const summary = folder_.path() / "summary.json";
  std::string const durations = folder_.path() / "durations.json";
};

}  // namespace ovlp::lab::validate
