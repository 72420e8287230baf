// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/mpi/raw_trace.hpp>
#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

struct assembled {
  trace made;
  std::vector<std::string> notes;  ///< a line each: what the tracer has not seen
};

/// Makes a trace of what ranks have written. `recorded`: when memory was accessed, in accesses of each rank. `timed`:
/// how long the bursts between the calls of MPI took, in another run of the same program, or the same one. Within a
/// burst time passes evenly with the accesses of the recorded run. Where the runs differ, as those of programs that go
/// on for a time, the trace has what they have in common, up to the last collective call of all ranks at which no
/// message is under way; a note says so.
///
/// Errors: config_error for ranks without instrumented code, for ranks that disagree on a communicator, for runs that
/// have no such call in common: the first call that differs, by rank and number; and those of check(), for the trace.
assembled assemble(std::string const& name, std::vector<raw::rank> const& recorded,
                   std::vector<raw::rank> const& timed);

}  // namespace ovlp::mpi
