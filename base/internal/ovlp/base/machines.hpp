// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ovlp/base/hosts.hpp>

namespace ovlp::base {

/// Where processes of several nodes live, and how they are started. Without hosts all are processes of this machine.
struct machines {
  std::vector<host> hosts = {};      ///< by node
  std::string launch_template = {};  ///< of launch_command; empty: programs are started directly
  std::string slurm_job = {};        ///< whose machines the hosts are; empty: Slurm has no part in this

  bool local() const { return hosts.empty(); }
  /// Where a process of the node listens, so that others reach it at its address.
  std::string any_address(std::size_t node) const;
};

/// From --hosts, "slurm" or a file, and --launch; either may be empty. slurm: those of the job that this process runs
/// in, this machine first and the others in Slurm's order. Errors: config_error, also if this process is on none of
/// the job's machines.
machines read_machines(std::string const& hosts, std::string const& launch_template);

}  // namespace ovlp::base
