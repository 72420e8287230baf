// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace ovlp::cluster {

// server/: carries out what a scheduler orders, and keeps the accounts.
//
// A job's run (running_program) reports moments, each with its time, and stands at a border until it is answered:
//
//   started          its first nodes are there
//   border           so many iterations are done; the answer is which hosts it holds from now on
//   released         nodes that it was to give back are free: states have moved, processes have ended. This may be long
//                    after the answer, and after further borders
//   joined           nodes that it has got are at work
//   ended
//   failed           it has died, or does not do what it should
//
// Who makes runs (job_runs) owns time. Simulated time: the server decides at a time only when all runs stand at it or
// beyond, and takes the earliest moment of all. Real time: it takes what has been reported.

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

/// A host is a node of the cluster, by its number; those of a job are in the order in which it numbers its own nodes.
using hosts_of_job = std::span<node_count const>;

class running_program {
 public:
  running_program() = default;
  running_program(running_program const&) = delete;
  running_program& operator=(running_program const&) = delete;
  virtual ~running_program() = default;

  /// What it reports next; it stands there. nullptr: that is not known yet; then job_runs::wait_until waits for it.
  virtual report const* next() = 0;
  /// The report has been taken. After a border: it holds these from now on.
  virtual void go_on(hosts_of_job hosts) = 0;
  /// over: nothing of it is left. begun: that takes time, and then it reports `ended`. by_itself: it ends already, and
  /// reports how.
  enum class ending : std::uint8_t { over, begun, by_itself };
  /// Ends it.
  virtual ending end() { return ending::over; }
};

/// It cannot be used any more.
struct lost_host {
  node_count host;
  std::string why;
};

/// Makes runs of jobs, and is the time in which they run.
class job_runs {
 public:
  job_runs() = default;
  job_runs(job_runs const&) = delete;
  job_runs& operator=(job_runs const&) = delete;
  virtual ~job_runs() = default;

  /// Time is this now; called once, first of all.
  virtual void begin(double /*at_s*/) {}
  /// `of`, a job of this number, must live as long.
  virtual std::unique_ptr<running_program> start(job_number number, job const& of, double now_s,
                                                 hosts_of_job hosts) = 0;
  /// For messages.
  virtual std::string name_of(node_count host) const { return std::to_string(host); }
  /// Those that have been lost since this was asked. A job that has one of them fails by itself.
  virtual std::vector<lost_host> newly_lost() { return {}; }
  /// Whether time is real. Then what jobs have done is kept when the user interrupts the run.
  virtual bool is_real() const { return false; }
  /// Returns what time it is: this, or less if a run that had nothing to report has something before.
  virtual double wait_until(double at_s) { return at_s; }
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
