// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// Whether the trace is one that a program can have left: ranks, communicators, profiles and counts that are named
/// exist; durations are finite, and 0 or more; a wait is for a call that has begun, and no request stands for two;
/// every send has a receive, of at least as many bytes, and every receive a send; all ranks of a communicator make the
/// same collectives in the same order. Whether it ends, a replay says.
/// Messages are matched as MPI does: of one source, destination, tag and communicator in the order of their calls.
/// Errors: config_error that names the trace, the rank, its call and what was expected.
/// Cost: O(records). Memory: 8 bytes a message, beside some for each pair of ranks and tag.
void check(trace const& what);

}  // namespace ovlp::mpi
