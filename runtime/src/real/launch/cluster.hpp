// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp::real {

/// A machine of a run.
struct host {
  std::string name;     ///< by which a process is started there
  std::string address;  ///< at which other machines reach it
};

/// Where the nodes of a run live. Without hosts all are processes of this machine.
struct cluster {
  std::vector<host> hosts;      ///< by node
  std::string launch_template;  ///< empty: the program is started directly
  std::string slurm_job;        ///< whose machines the hosts are; empty: Slurm has no part in this

  bool local() const { return hosts.empty(); }
};

/// Reads a hosts file: one host a line, '#' begins a comment. Errors: config_error with file and line.
std::vector<host> read_hosts(std::string const& file);

/// From --hosts, "slurm" or a file, and --launch; either may be empty. Errors: config_error.
cluster read_cluster(std::string const& hosts, std::string const& launch_template);

/// The words of the command that starts a node. `{host}`, `{node}` and `{program}` stand for themselves wherever they
/// occur; the word `{arguments}` for all arguments, quoted for the remote shell if the command is ssh or rsh.
/// Errors: config_error if a name in braces is unknown.
std::vector<std::string> launch_command(std::string const& launch_template, std::string const& host, node_id node,
                                        std::string const& program, std::vector<std::string> const& arguments);

}  // namespace ovlp::real
