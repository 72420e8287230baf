// SPDX-License-Identifier: BSD-3-Clause
#include "cluster.hpp"

#include <utility>

#include <ovlp/base/error.hpp>

#include "slurm.hpp"

namespace ovlp::real {

std::string cluster::listen(node_id node) const {
  if (local()) return "127.0.0.1";
  bool const ipv6 = hosts[node].address.find(':') != std::string::npos;
  return ipv6 ? "::" : "0.0.0.0";
}

cluster read_cluster(std::string const& hosts, std::string const& launch_template) {
  cluster read;
  read.launch_template = launch_template;
  std::string usual_template;
  if (hosts == "slurm") {
    slurm_job job = read_slurm_job();
    read.hosts = std::move(job.hosts);
    read.slurm_job = std::move(job.id);
    usual_template = slurm_launch_template;
  } else if (!hosts.empty()) {
    read.hosts = base::read_hosts(hosts);
    usual_template = base::ssh_launch_template;
  }
  if (launch_template.empty()) {
    read.launch_template = usual_template;
  } else {
    base::launch_command(launch_template, "", 0, "", {});  // is it well-formed?
  }
  return read;
}

}  // namespace ovlp::real
