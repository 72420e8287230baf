// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// In files, options and messages; by operation.
inline constexpr std::array<std::string_view, 11> operation_names{
    "barrier", "broadcast",  "gather",         "scatter", "all_gather",    "all_to_all",
    "reduce",  "all_reduce", "reduce_scatter", "scan",    "exclusive_scan"};

inline std::string_view name_of(operation o) { return operation_names[static_cast<std::size_t>(o)]; }
/// Whether one rank of it is the root.
bool has_root(operation o);

/// Sends, receives, waits and collectives.
bool is_call(record const& r);
/// That begins with it; none of a call that blocks, and of what is no such call.
index request_of(record const& r);

/// A record for a message: "receive from rank 1, tag 7, 1000 bytes".
std::string describe(record const& r);
/// With its place, calls of each rank being counted from 1: "rank 0, call 12: receive from rank 1, tag 7, 1000 bytes".
std::string describe(trace const& of, rank_id rank, std::size_t at);

/// What the trace does not have, in a line: "MPI_Put (120 calls of 4 ranks), MPI_Win_fence (8 of 4)"; empty: nothing is
/// known to be missing.
std::string describe_left_out(trace const& of);

}  // namespace ovlp::mpi
