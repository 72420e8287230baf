// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comparison.hpp"
#include "grid.hpp"

namespace ovlp::lab::validate {

/// Writes errors.csv, efficiencies.csv, histogram.svg, scatter.svg and report.txt to the folder; returns the text.
/// Format: docs/formats/measurements.md. Errors: io_error.
std::string write_report(grid const& of, results const& found, std::string const& folder);

}  // namespace ovlp::lab::validate
