// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace ovlp::cluster {

/// What became of a job.
struct job_result {
  /// unfinished: the whole run was ended before.
  enum class end_type : std::uint8_t { completed, ended_at_limit, ended_by_scheduler, failed, unfinished };
  double start_s = 0;
  double end_s = 0;
  end_type end = end_type::completed;
  node_count first_nodes = 0;  ///< 0: it never started
  node_count most_nodes = 0;
  std::uint32_t changes = 0;
  double held_node_s = 0;
  double work_node_s = 0;  ///< of its stretches
};

/// A job holds these nodes from then on.
struct holding {
  double at_s;
  job_number job;
  node_count nodes;
};

/// A job computes on these nodes, this efficiently: an iteration, or several that are alike. While a job is launched or
/// moves its states it holds nodes and does not compute.
struct stretch {
  job_number job;
  node_count nodes;
  double from_s, to_s;
  double efficiency;  ///< of 0 to 1: beside its fewest nodes; of a rigid job 1

  double work_node_s() const { return efficiency * nodes * (to_s - from_s); }
};

/// What became of a workload on a cluster. A value.
struct cluster_run {
  std::string scheduler;
  bool real = false;  ///< it was measured; else it is simulated
  node_count nodes = 0;
  workload const* of = nullptr;
  std::vector<job_result> jobs;    ///< by number
  std::vector<holding> holdings;   ///< by time
  std::vector<stretch> stretches;  ///< of each job by time
  double begin_s = 0;              ///< first arrival
  double end_s = 0;                ///< last end
  double held_node_s = 0;
  double idle_node_s = 0;
  double work_node_s = 0;
  std::vector<std::string> notes;     ///< what one should know of its jobs, each kind once
  std::vector<std::string> failures;  ///< of jobs, a line each

  /// For people.
  std::string title() const { return scheduler + (real ? " (real)" : ""); }
  double makespan_s() const { return end_s - begin_s; }
};

/// What holds of every run of a cluster. Errors: std::logic_error that names what does not.
void expect_accounts(cluster_run const& of);

/// Figures of a run that people compare.
struct cluster_figures {
  double makespan_s;
  double utilization;         ///< held over available node-seconds
  double efficiency;          ///< work over held node-seconds
  double dynamic_efficiency;  ///< work over available node-seconds: the product of both
  double held_node_s;
  double mean_wait_s;
  double mean_turnaround_s;
  double mean_bounded_slowdown;
  double median_turnaround_s;
  double p95_turnaround_s;
  double longest_wait_s;
};
cluster_figures figures_of(cluster_run const& of);

/// With a bound of 10 s: Feitelson et al., Theory and practice in parallel job scheduling (1997).
double bounded_slowdown(job const& asked, job_result const& got);
/// Work over held node-seconds; of a job that has held none 1.
double efficiency(job_result const& of);
std::string name_of(job_result::end_type end);

/// A row a job.
std::string csv_of(std::vector<cluster_run> const& all);

}  // namespace ovlp::cluster
