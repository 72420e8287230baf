// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// Whether the trace is one that a program can have left: ranks, communicators, profiles and counts that are named
/// exist; a rank computes for 0 to 10^9 seconds, profiles lie in that, and a call moves 2^40 bytes at most; a wait is
/// for a call that has begun, and no request stands for two; every send has a receive, of at least as many bytes, and
/// every receive a send; all ranks of a communicator make the same collectives in the same order. Whether it ends, a
/// replay says. Messages are matched as MPI does: of one source, destination, tag and communicator in the order of
/// their calls. Errors: config_error that names the trace, the rank, its call and what was expected. Cost: O(records).
/// Memory: that of other_ends().
void check(trace const& what);

/// Whether the ranks of each collective agree in the bytes that they give and get, as MPI asks for. For a trace that
/// has passed check(), and counts as `collective` says; traces of other tools count in ways of their own.
/// Errors: config_error that names the trace, the rank, its call and what was expected. Cost: O(records).
void check_bytes_of_collectives(trace const& of);

}  // namespace ovlp::mpi
