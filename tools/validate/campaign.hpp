// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"

namespace ovlp::tools::validate {

/// Measures what is missing, repetition by repetition over all testbeds, so that what the machine does meanwhile meets
/// all configurations alike. A run that fails is recorded, and the next one begins. Calibrates testbeds whose platform
/// nobody has given. Says on stderr how far it is.
/// Errors: config_error, io_error; `interrupted`: no testbed is left then.
void measure(grid const& of, places const& where, measurements& to);

/// The platform file of a testbed.
std::string platform_of(testbed const& t, places const& where);
/// The same with the paper's plain model: written beside it by the calibration.
std::string plain_platform_of(testbed const& t, places const& where);

}  // namespace ovlp::tools::validate
