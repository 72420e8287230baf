// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/cluster_run.hpp"

namespace ovlp::cluster {

// results/: what one looks at after a run of a cluster.

/// Equal windows of time.
struct windows {
  double from_s, to_s;
  std::size_t count;

  double width_s() const { return (to_s - from_s) / static_cast<double>(count); }
  double begin_s(std::size_t w) const { return from_s + static_cast<double>(w) * width_s(); }
};
/// From the first begin to the last end of all.
windows windows_of(std::vector<cluster_run> const& all, std::size_t count);

/// A run by windows of time. What happens is spread evenly over the time that it takes.
struct cluster_over_time {
  windows of;
  std::vector<double> available_node_s;  ///< none before the run begins and when it has ended
  std::vector<double> held_node_s;
  std::vector<double> work_node_s;
  std::vector<double> waiting;               ///< jobs, the mean
  std::vector<std::vector<double>> held_by;  ///< of each group of jobs what it holds, in node-seconds

  /// Dynamic efficiency: work over available node-seconds; NaN without any.
  double efficiency(std::size_t w) const { return work_node_s[w] / available_node_s[w]; }
};
/// `groups`: of each job the number of its group; empty: there are none.
cluster_over_time over_time(cluster_run const& run, windows const& in, std::vector<std::size_t> const& groups = {});

/// A row a window and run.
std::string csv_over_time(std::vector<cluster_run> const& all, std::size_t windows);

}  // namespace ovlp::cluster
