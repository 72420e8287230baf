// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "study/advise.hpp"

namespace ovlp::tools {

/// Draws the plans that no other beats, the advised one and the run as it is: time over node-seconds.
/// Errors: io_error.
void plot_advice(lab::study::advice const& found, analysis::goal const& wanted, std::string const& file);

}  // namespace ovlp::tools
