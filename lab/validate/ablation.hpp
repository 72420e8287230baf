// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"

namespace ovlp::lab::validate {

/// What each part of the calibrated platforms' models is worth: the errors of predictions without it, one part at a
/// time, and of the whole model, as a table. Of what has been measured; durations of kernels come from `calibrated`.
/// Errors: config_error, io_error.
std::string ablate(grid of, places const& where, measurements const& from, measurements const& calibrated);

}  // namespace ovlp::lab::validate
