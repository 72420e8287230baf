// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workload/workload.hpp"

namespace ovlp::cluster {

// server/: carries out what a scheduler orders, and keeps the accounts.
//
// A job's run (running_program) reports moments, each with its time, and stands at a border until it is answered:
//
//   started          its first nodes are there
//   border           so many iterations are done; the answer is how many nodes it holds from now on
//   released         nodes that it was to give back are free: states have moved, processes have ended. This may be long
//                    after the answer, and after further borders
//   joined           nodes that it has got are at work
//   ended
//   failed           it has died, or does not do what it should
//
// The server decides at a time only when all runs stand at it or beyond: it takes the earliest moment of all.

struct report {
  // In the order in which reports of one moment are taken.
  enum class kind_type : std::uint8_t { failed, ended, released, joined, started, border };
  kind_type kind;
  double at_s;
  node_count from = 0, to = 0;   ///< numbers of nodes that have been released, or have joined: `to` is the first beyond
  std::uint32_t iterations = 0;  ///< done, at a border
  double efficiency = 1;         ///< measured, of the last iteration
  std::string why = {};          ///< it has failed
};

class running_program {
 public:
  running_program() = default;
  running_program(running_program const&) = delete;
  running_program& operator=(running_program const&) = delete;
  virtual ~running_program() = default;

  /// What it reports next; it stands there. Waits until that is known.
  virtual report const& next() = 0;
  /// The report has been taken. After a border: it holds so many nodes from now on.
  virtual void go_on(node_count nodes) = 0;
};

/// The cluster on which programs run.
struct cluster_description {
  node_count nodes;
  double launch_s = 0;  ///< from the start of a job, or its order of more nodes, until these can be sent to
  // For jobs that are programs.
  std::string platform = {};  ///< of the cluster's nodes, as the programs' --platform takes it
  double patience_s = 600;    ///< of real time; a program that reports nothing for so long has failed
};

/// A run that takes as long as its job's forecast says. `of` must live as long.
std::unique_ptr<running_program> run_forecast(job const& of, double start_s, node_count nodes,
                                              cluster_description const& on);
/// A run of its job's program, as a process, whose time is simulated. `of` must live as long.
std::unique_ptr<running_program> run_process(job const& of, double start_s, node_count nodes,
                                             cluster_description const& on);

}  // namespace ovlp::cluster
