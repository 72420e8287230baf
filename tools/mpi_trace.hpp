// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/mpi/trace_file.hpp>

namespace ovlp::tools {

/// mpi::read_trace(); what the program has done and the trace lacks is said on standard error, in a line.
/// `command`: who says so, "replay".
mpi::trace read_mpi_trace(std::string const& command, std::string const& file, double flops = mpi::usual_flops);

}  // namespace ovlp::tools
