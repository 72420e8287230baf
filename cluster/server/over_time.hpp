// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/cluster_run.hpp"

namespace ovlp::cluster {

/// What a cluster did in a part of its time.
struct cluster_window {
  double from_s, to_s;
  double held_node_s = 0;
  double work_node_s = 0;  ///< of each stretch as much in each second
  double waiting_job_s = 0;

  double available_node_s(node_count nodes) const { return nodes * (to_s - from_s); }
};

/// From the first arrival to the last end in so many equal windows. What they say adds up to what the run says.
/// Errors: std::logic_error if it does not.
std::vector<cluster_window> over_time(cluster_run const& of, std::size_t windows);

/// Of each run a row a window: the share of nodes that is held, the dynamic efficiency (work over available
/// node-seconds), and how many jobs wait.
std::string over_time_csv(std::vector<cluster_run> const& all, std::size_t windows);

}  // namespace ovlp::cluster
