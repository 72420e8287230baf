// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// Of each rank's sends and receives, by place among its records, the place of the other end among the records of the
/// rank there; none, where nobody receives or sends it, and of other records. MPI's order joins them: of messages of
/// one channel the first one sent is that of the first receive. Cost: O(records). Memory: 4 bytes a record, and while
/// it is made 4 bytes a message.
std::vector<std::vector<index>> other_ends(trace const& of);

/// How many sends, or receives, of this rank would be other ends of calls of `self` such as this one: for a message.
template <class Call>
std::size_t count_other_ends(trace_of_rank const& there, rank_id self, auto const& of) {
  return static_cast<std::size_t>(std::ranges::count_if(there.records, [&](record const& r) {
    auto const* const call = std::get_if<Call>(&r);
    return call != nullptr && partner_of(*call) == self && call->tag == of.tag && call->communicator == of.communicator;
  }));
}

}  // namespace ovlp::mpi
