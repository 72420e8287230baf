// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"

namespace ovlp::lab::validate {

/// Before hours of measurements: whether every configuration of which runs are missing in `measured` can be predicted
/// with durations of the kernels that the grid's `durations` options record, or with those of `earlier` if it is given.
/// Runs each distinct program of durations once, on this machine and on no testbed, and simulates each such
/// configuration once. Says on stderr what is checked, and of each configuration what it lacks.
/// Errors: config_error with the last of these lines; io_error; `interrupted`.
void check_durations(grid const& of, places const& where, measurements const& measured, measurements const* earlier);

}  // namespace ovlp::lab::validate
