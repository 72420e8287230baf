// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/base/database.hpp>

namespace ovlp::lab::study {

/// Of the runs of a sweep that differ in the options `choose` alone: which is predicted to be the fastest, and which
/// others may be as fast, as far as ratios of predicted times were off (analysis::predicted::ratio_of_times). A line
/// for each value of the other options; runs that failed are left out.
/// Errors: io_error; config_error, if no run has such an option.
std::string fastest_text(base::database& runs, std::vector<std::string> const& choose);

}  // namespace ovlp::lab::study
