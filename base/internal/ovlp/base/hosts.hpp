// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::base {

/// A machine of a run, as it is the place of one node.
struct host {
  std::string name;     ///< by which a process is started there: HOST or USER@HOST
  std::string address;  ///< at which other machines reach it

  /// Without the user.
  std::string machine() const { return name.substr(name.find('@') + 1); }
};

/// The host of this name, HOST or USER@HOST.
host host_of(std::string const& name);

/// Reads a hosts file: the host of each node. It takes the forms that Slurm, Open MPI and MPICH write
/// (docs/clusters.md). Errors: config_error with file, line and what was expected.
std::vector<host> read_hosts(std::string const& file);

/// The words of the command that starts a node. `{host}`, `{node}` and `{program}` stand for themselves wherever they
/// occur; the word `{arguments}` for all arguments, quoted for the remote shell if the command is ssh or rsh.
/// Errors: config_error if a name in braces is unknown.
std::vector<std::string> launch_command(std::string const& launch_template, std::string const& host, std::size_t node,
                                        std::string const& program, std::vector<std::string> const& arguments);

}  // namespace ovlp::base
