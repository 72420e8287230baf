// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/base/progress.hpp>

#include "comparison.hpp"
#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"

namespace ovlp::lab::validate {

/// Writes the file of a configuration's plan, unless it is there: as the grid says, or as `ovlp advise` finds it, with
/// the testbed's platform and the durations that have been measured so far.
/// Errors: io_error that says what failed.
void make_plan(grid const& of, configuration const& what, places const& where, measurements const& from,
               base::progress& progress);

/// What plans bring beside a run without, measured and predicted: node-seconds saved, time lost; and whether the
/// advised one is the best. Empty: the grid has none. docs/formats/measurements.md
std::string plan_lines(results const& found);
std::string plans_csv(results const& found);

}  // namespace ovlp::lab::validate
