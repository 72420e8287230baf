// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include <mpi.h>

namespace ovlp::mpi::tracer {

/// How many neighbours a rank has in the communicator's topology.
struct neighbour_counts {
  std::size_t to, from;
};
neighbour_counts count_neighbours(MPI_Comm in);

}  // namespace ovlp::mpi::tracer
