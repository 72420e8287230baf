// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"

namespace ovlp::lab::validate {

/// Measures what is missing, repetition by repetition over all testbeds, so that what the host does meanwhile meets
/// all configurations alike. A run that fails is recorded, and the next one begins. Calibrates testbeds whose platform
/// nobody has given. Says on stderr how far it is. Before anything is measured, check_durations(): `earlier` as there.
/// Errors: config_error, io_error; `interrupted`: no testbed is left then.
void measure(grid const& of, places const& where, measurements& to, measurements const* earlier);

}  // namespace ovlp::lab::validate
