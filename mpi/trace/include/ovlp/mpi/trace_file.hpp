// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// Of formats that count operations and not seconds: how many the reference core does in a second.
inline constexpr double usual_flops = 1e9;

/// Reads a trace in any of the formats of docs/formats/mpi-trace.md, which the content tells, and checks it. Of a
/// folder, the one that `ovlp trace` has written there. `flops`: of SimGrid's traces, the speed of the core on which
/// their bursts are to be measured, in operations a second. Errors: config_error: "FILE: ..." or "FILE:LINE: ..." for
/// what cannot be read, is cut short, or is wrong, with what was expected; as check(). Memory: that of the trace and of
/// the file.
trace read_trace(std::string const& name, double flops = usual_flops);

/// Writes it in the format of the file's extension: .mpitrace (our own: nothing is lost) or .dim (Dimemas).
/// Errors: io_error; config_error for another extension.
void write_trace(trace const& what, std::string const& file);

}  // namespace ovlp::mpi
