// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// What both ends of a message know of it.
struct message_end {
  std::uint32_t number = 0;  ///< of the messages between these two ranks in this communicator, as they were sent
  std::uint64_t bytes = 0;   ///< that were sent
};

/// Of each rank's sends and receives, by place among its records; MPI's order joins them: of messages with the same
/// ranks, tag and communicator the first one sent is that of the first receive.
/// Errors: config_error that names the rank and the receive, if there is none for it.
std::vector<std::vector<message_end>> message_ends(trace const& of);

}  // namespace ovlp::mpi
