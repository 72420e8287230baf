// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/hosts.hpp>

#include "server/running_program.hpp"

namespace ovlp::cluster {

/// Where real programs run, and how.
struct real_cluster {
  std::vector<base::host> hosts = {};  ///< by number; none: all nodes are processes of this machine
  std::string launch_template = {};    ///< of base::launch_command; with hosts
  std::string listen = "127.0.0.1";    ///< address of this machine at which jobs reach the server
  double patience_s = 60;              ///< for a job to connect and start, and for one that is ended to do so
  std::string logs = {};               ///< folder for what jobs print, a file each; empty: it is thrown away
  std::function<void(std::string const&)> complain = {};  ///< is told of strangers that connect, a line each
};

/// Runs of jobs as processes, in real time. Their first processes are started here, and the others by them. A job ends
/// when no process of it is left on this machine and its hosts; until then it holds them. On each host there is an
/// ovlp-host (host_watches.hpp); whose has ended is lost. Destroyed, it leaves no process behind. Errors: config_error
/// for a launch template that is none, and for a host that another server uses; io_error if this machine has no such
/// address.
std::unique_ptr<job_runs> make_real_runs(real_cluster on);

}  // namespace ovlp::cluster
