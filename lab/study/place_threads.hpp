// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::lab::study {

/// Where the threads of a collection live at first.
struct proposed_mapping {
  std::string collection;
  std::string nodes;  ///< as --mapping takes it
};

/// A simulated program with its threads where it puts them, and where they exchange less.
struct thread_placement {
  double time_s, bytes;  ///< as it is: simulated, and what crosses between nodes by its record
  struct candidate {
    std::vector<proposed_mapping> mappings;  ///< of collections that are mapped in another way
    double time_s, bytes;
  };
  std::vector<candidate> candidates;  ///< the fastest first; those whose threads live where they did are none
  std::size_t failed = 0;             ///< mappings with which the program cannot run
  bool gains() const { return !candidates.empty() && candidates.front().time_s < time_s; }
};

/// Records a simulation of the program, partitions its threads by what they exchange under several limits of the work
/// that a node may have, and simulates it with each result.
/// Errors: config_error; io_error, if the program cannot be run so.
thread_placement place_threads(std::vector<std::string> const& words, std::size_t jobs);

}  // namespace ovlp::lab::study
