// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grid.hpp"
#include "measurements.hpp"

namespace ovlp::tools::validate {

/// Where things are.
struct places {
  std::string output;    ///< folder of all results
  std::string build;     ///< programs of the grid are relative to it
  std::string testbeds;  ///< the scripts up, down and run
};

/// What a simulation says of a configuration.
struct prediction {
  double time_s = 0;
  double work_s = 0;
  std::map<int, double> efficiency;  ///< by iteration
};

/// Measures what is missing, repetition by repetition over all testbeds, so that what the machine does meanwhile meets
/// all configurations alike. A run that fails is recorded, and the next one begins. Calibrates testbeds whose platform
/// nobody has given. Says on stderr how far it is.
/// Errors: config_error, io_error; `interrupted`: no testbed is left then.
void measure(grid const& of, places const& where, measurements& to);

/// The platform file of a testbed.
std::string platform_of(testbed const& t, places const& where);
/// The same with the paper's plain model: written beside it by the calibration.
std::string plain_platform_of(testbed const& t, places const& where);

/// Simulates the configuration with kernel durations of the runs on one node, times the factor.
/// Errors: io_error that says what the program said.
prediction predict(grid const& of, configuration const& what, std::string const& platform, double kernels_factor,
                   places const& where, measurements const& from);

}  // namespace ovlp::tools::validate
