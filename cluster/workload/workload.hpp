// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/forecast.hpp"

namespace ovlp::cluster {

// workload/: what comes to a cluster. A workload is a list of jobs, in the order in which they arrive; a job says when
// it comes and what it asks for, and has a model, which tells the cluster how long the job runs: a program, or a
// forecast: how long it takes by iteration and number of nodes. The forecast of a rigid job has one number of nodes and
// one iteration, and schedulers must not look at it: what they know of a rigid job is what it has said.
//
// It is read from a JSON file of ours, from logs of clusters (SWF, sacct), or made (synthetic).

using job_number = std::uint32_t;

struct job {
  std::string name;
  std::string user = {};
  double arrival_s = 0;
  node_count requested = 1;                ///< one of `possible`
  std::vector<node_count> possible = {1};  ///< numbers of nodes that it can hold, ascending; one: it is rigid
  double requested_s = 0;                  ///< how long it says it takes with `requested` nodes
  int priority = 0;                        ///< higher ones first, among those that wait
  /// Of a program it is what schedulers know; and if nothing is known, what it has said of `requested` nodes.
  forecast expected = forecast::rigid(1, 0);
  std::vector<std::string> program = {};  ///< its command, of a simulated program; empty: the forecast is the model
  std::string real_program = {};          ///< what runs for real with those arguments; empty: the same program

  bool malleable() const { return possible.size() > 1; }
  /// Malleable, and with a forecast.
  bool foreseen() const { return malleable() && expected.nodes().size() > 1; }
  /// With the nodes that it asks for.
  double time_s() const { return expected.rest_with_s(requested, 0); }
  double node_s() const { return requested * time_s(); }
  /// The largest number that it can hold, of at most so many; 0: there is none.
  node_count largest(node_count most) const {
    auto const beyond = std::ranges::upper_bound(possible, most);
    return beyond == possible.begin() ? 0 : *(beyond - 1);
  }
};

struct workload {
  std::string name;
  node_count nodes = 0;                 ///< of the cluster that it was made for; 0: unknown
  bool ends_jobs = false;               ///< that have held nodes for their requested time
  std::vector<job> jobs;                ///< by arrival
  std::vector<std::string> notes = {};  ///< what was left out or mended when it was read, each kind once
};

/// Reads a workload of ours (docs/formats/workload.md), a log in the Standard Workload Format (.swf, .swf.gz), or the
/// output of `sacct --parsable2` with its line of headings (.csv, .txt), by the name of the file.
/// Errors: config_error "FILE: ...".
workload read_workload(std::string const& file);

/// As JSON.
std::string workload_text(workload const& of);

/// Powers of two between these, and both.
std::vector<node_count> numbers_between(node_count least, node_count most);

}  // namespace ovlp::cluster
