// SPDX-License-Identifier: BSD-3-Clause
#include "cluster_platform.hpp"

#include <algorithm>

#include <ovlp/base/error.hpp>
#include <ovlp/machine/platform.hpp>

#include "options.hpp"

namespace ovlp::tools {

void cluster_platform::add_to(CLI::App& app) {
  add_option(app, "--platform", platform, "NAME|FILE", "of the nodes; for jobs that are programs");
  add_option(app, "--launch-time", launch_s, "S",
             "seconds until nodes that a job has got can be sent to (default: the platform's, else 0)",
             quantity(0, 1e6));
  add_option(
      app, "--patience", patience_s, "S",
      "real seconds after which a program, of a job or a scheduler, that says nothing has failed (default 600; with "
      "--real for a job to start: 60)",
      quantity(1e-3, 1e6));
}

cluster::cluster_description cluster_platform::description(cluster::workload const& of,
                                                           cluster::node_count nodes) const {
  cluster::cluster_description made{nodes, launch_s.value_or(0), platform};
  if (patience_s) made.patience_s = *patience_s;
  if (platform.empty()) {
    auto const program = std::ranges::find_if(of.jobs, [](cluster::job const& one) { return !one.program.empty(); });
    if (program != of.jobs.end())
      throw config_error("--platform: expected, for job '" + program->name + "' is a program");
    return made;
  }
  machine::platform const on = machine::platform::find(platform);
  auto const refuse = [&](std::string const& why) {
    throw config_error("--platform " + platform + ": expected one on which jobs do not disturb each other: " + why);
  };
  machine::node_kind const& kind = on.nodes.front();
  if (on.nodes.size() > 1) refuse("its nodes differ");
  if (kind.speed_over_time || !kind.slowdowns.empty()) refuse("its nodes change with time");
  if (on.host) refuse("its nodes share a machine");
  if (on.network.topology) refuse("its network (" + on.network.name + ") is more than a crossbar");
  if (on.network.name == "bus") refuse("its network is a bus");
  if (!launch_s) made.launch_s = kind.launch_s;
  return made;
}

}  // namespace ovlp::tools
