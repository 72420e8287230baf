// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ovlp/threads/communication.hpp>
#include <ovlp/threads/topology.hpp>

namespace ovlp::shared_memory {

/// On which leaf of a topology each thread runs.
using placement = std::vector<std::size_t>;

/// Threads that communicate much share the lowest levels. From the leaves up, what is to be placed - threads, then
/// groups of them - is put into as many groups as the next level has nodes, all equally large, or larger by one: to a
/// group, which begins with the first that is left, is added, again and again, what communicates most with those that
/// are in it (of equals the first). A group is then one thing, which communicates what its members do. More threads
/// than leaves: they are grouped for the leaves first. Fewer: on each level groups get as far apart as they can, so
/// that threads share nothing that is free.
/// Cost: O(threads^2) a level.
/// Source: E. Cruz et al., EagerMap: A task mapping algorithm to improve communication and load balancing in clusters
/// of multicore systems, ACM Transactions on Parallel Computing 5 (2019).
placement map_threads(communication_matrix const& communication, topology const& onto);

/// Thread t on leaf t, round and round.
placement in_order(std::size_t threads, topology const& onto);

/// Average distance of what is communicated: levels up to what both threads' units share, weighted by communication. 0:
/// threads that communicate share a unit; at most the number of levels. 0, if nobody communicates.
double mean_distance(communication_matrix const& communication, topology const& onto, placement const& where);

/// The same for threads that are put on units by chance: the average of all ways to do that.
double mean_distance_by_chance(topology const& onto);

/// A mapping as a file. docs/formats/thread-mapping.md
struct thread_mapping {
  std::vector<std::size_t> units;  ///< the system's number of each thread's

  /// As OMP_PLACES takes it: a place for each thread.
  std::string omp_places() const;
};
thread_mapping mapping_of(placement const& where, topology const& onto);
std::string json_of(thread_mapping const& what);
/// Errors: config_error.
thread_mapping read_mapping(std::string const& file);

}  // namespace ovlp::shared_memory
