// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/base/hosts.hpp>
#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp::real {

/// Where the nodes of a run live. Without hosts all are processes of this machine.
struct cluster {
  std::vector<base::host> hosts;  ///< by node
  std::string launch_template;    ///< empty: the program is started directly
  std::string slurm_job;          ///< whose machines the hosts are; empty: Slurm has no part in this

  bool local() const { return hosts.empty(); }
  /// Where a process of the node listens, so that others reach it at its address.
  std::string listen(node_id node) const;
};

/// From --hosts, "slurm" or a file, and --launch; either may be empty. Errors: config_error.
cluster read_cluster(std::string const& hosts, std::string const& launch_template);

}  // namespace ovlp::real
