// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/records/summary.hpp>

namespace ovlp::analysis {

// What --efficiency and --efficiency-over-time write: the figures of a simulated call, and in comments which run it
// was. Format: docs/formats/efficiency.md. Errors: io_error.

/// A row for each iteration that has an efficiency.
void write_efficiency(std::string const& file, summary const& figures);
/// A row for each window of time.
void write_efficiency_over_time(std::string const& file, summary const& figures);

}  // namespace ovlp::analysis
