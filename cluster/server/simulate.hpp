// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedulers/scheduler.hpp"
#include "server/cluster_run.hpp"
#include "server/running_program.hpp"

namespace ovlp::cluster {

/// Runs all jobs. `of` must outlive the result.
/// Errors: config_error for a job that does not fit the cluster, and for an order that cannot be carried out (it names
/// the scheduler, the job and what was expected).
cluster_run simulate(workload const& of, cluster_description const& on, std::string const& scheduler_name,
                     scheduler& decides);

}  // namespace ovlp::cluster
