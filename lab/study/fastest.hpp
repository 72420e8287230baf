// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run_table.hpp"
#include "sweep_plan.hpp"

namespace ovlp::lab::study {

/// Errors: config_error, unless `choose` are options by which the runs of the plan differ.
void expect_choice(sweep_plan const& plan, std::vector<std::string> const& choose);

/// Of the runs that differ in the options `choose` alone: which is predicted to be the fastest, and which others may be
/// as fast, as far as ratios of predicted times were off (analysis::predicted::ratio_of_times). A line for each
/// combination of the other options. Errors: io_error, also for summaries that are none.
std::string fastest_text(run_table const& runs, sweep_plan const& plan, std::vector<std::string> const& choose);

}  // namespace ovlp::lab::study
