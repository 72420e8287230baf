// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::lab::study {

/// What one run of a program takes.
struct overlap_run {
  double time_s;
  double efficiency;
};

/// How much a flow graph gains from the overlap of communication and computation that it has, and what all of it would
/// bring.
struct graph_overlap {
  overlap_run as_it_is;
  overlap_run with_barriers;  ///< its streams post when all their objects have come, as a merge and a split would
  overlap_run ideal;          ///< objects cross the network in no time; what they cost processors stays
};

/// Simulates the program three times. `words`: the program and its arguments; `jobs`: runs at once.
/// Errors: config_error; io_error that says which run failed and why: with barriers a program stalls whose streams
/// wait for what follows from their own posts. base::interrupted.
graph_overlap overlap_of_graph(std::vector<std::string> const& words, std::size_t jobs);

}  // namespace ovlp::lab::study
