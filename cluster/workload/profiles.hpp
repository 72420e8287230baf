// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>

#include "workload/workload.hpp"

namespace ovlp::cluster {

/// How much faster a program of average parallelism A is on n nodes than on one. `sigma`: 0 if its parallelism is
/// always A, larger ones if it varies.
/// Source: Downey, A model for speedup of parallel programs (1997).
double downey_speedup(double average_parallelism, double sigma, double nodes);
/// Source: Amdahl, Validity of the single processor approach to achieving large scale computing capabilities (1967).
double amdahl_speedup(double serial_fraction, double nodes);

/// What is drawn for a job that is to be malleable: it can hold an eighth to four times of what it asks for.
struct profile_choice {
  double amdahl_share = 0.5;  ///< of jobs with a profile of Amdahl's; the others get one of Downey's
  std::uint32_t iterations = 20;
  double change_s = 5;
  std::vector<job> like = {};  ///< if there are any, one of these is drawn in place of a formula: make_like()
};

/// A job on r nodes becomes like one on R: on n r/R nodes, where that is whole and at most `nodes`, each iteration
/// takes as many times as long as with n as it does with r beside R. A change takes as long as the other's.
void make_like(job& of, job const& other, node_count nodes);

/// Makes the job malleable: by a profile that is drawn, its forecast is so that it takes as long as it does now with
/// the nodes that it asks for. `nodes`: of the cluster. Downey: A from half to four times of what it asks for (uniform
/// in its logarithm), sigma from 0 to 2. Amdahl: an efficiency of 0.5 to 0.95 on the nodes that it asks for.
void make_malleable(job& of, node_count nodes, profile_choice const& choice, std::mt19937_64& random);

/// The same of a share of all jobs, drawn by the seed.
void make_malleable(workload& of, double share, profile_choice const& choice, std::uint64_t seed);

/// Node-seconds that jobs ask for, over those that the cluster has from the first arrival to the last.
double offered_load(workload const& of, node_count nodes);
/// Stretches the times between arrivals, so that the load is this one.
void scale_to_load(workload& of, node_count nodes, double load);

/// Jobs that come at random (Poisson), as many node-seconds as the load says in the time in which they come. Sizes are
/// powers of two (uniform in their logarithm, up to half of the nodes), times log-normal with a median of 15 minutes
/// and a factor of 3 for a standard deviation, at most a day; they ask for one to five times as long.
struct synthetic_choice {
  std::uint32_t jobs = 1000;
  node_count nodes = 256;
  double load = 0.9;
  std::uint64_t seed = 1;
};
workload make_synthetic(synthetic_choice const& choice);

}  // namespace ovlp::cluster
