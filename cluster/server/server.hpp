// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "schedulers/scheduler.hpp"
#include "server/cluster_run.hpp"
#include "server/running_program.hpp"

namespace ovlp::cluster {

/// What others do while jobs run; either may be empty.
struct watching {
  std::function<void(known const& now, std::size_t ended)> look = {};  ///< after each moment; real time: now and then
  std::function<void(cluster_run const& so_far)> keep = {};            ///< when a job has ended: what would be stored
};

/// Runs all jobs on so many hosts. `of` must outlive the result.
/// Errors: config_error for a job that does not fit the cluster, and for an order that cannot be carried out (it names
/// the scheduler, the job and what was expected).
cluster_run run_cluster(workload const& of, node_count nodes, std::string const& scheduler_name, scheduler& decides,
                        job_runs& runs, watching const& watched = {});
/// In simulated time, by forecasts and simulated programs.
cluster_run simulate(workload const& of, cluster_description const& on, std::string const& scheduler_name,
                     scheduler& decides);

}  // namespace ovlp::cluster
