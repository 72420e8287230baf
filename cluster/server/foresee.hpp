// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/running_program.hpp"
#include "workload/workload.hpp"

namespace ovlp::cluster {

/// The forecast of a job that is a program: how long its iterations take, alone on the cluster, with each number of
/// nodes that it can hold from its start to its end; and what a change costs beyond that and launching, from a run that
/// goes from its largest number to its smallest, a number a border. The program knows that its nodes may change, as in
/// the cluster. Errors: config_error that names the job, if it fails, or does another number of iterations with another
/// number of nodes.
forecast foresee(job const& of, cluster_description const& on);

/// That of all jobs that are programs; of the same program with the same numbers of nodes once.
void foresee_all(workload& of, cluster_description const& on);

}  // namespace ovlp::cluster
