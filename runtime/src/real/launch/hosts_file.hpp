// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ovlp::real {

/// A machine of a run, as it is the place of one node.
struct host {
  std::string name;     ///< by which a process is started there: HOST or USER@HOST
  std::string address;  ///< at which other machines reach it

  /// Without the user.
  std::string machine() const { return name.substr(name.find('@') + 1); }
};

/// Reads a hosts file: the host of each node. It takes the forms that Slurm, Open MPI and MPICH write
/// (docs/clusters.md). Errors: config_error with file, line and what was expected.
std::vector<host> read_hosts(std::string const& file);

}  // namespace ovlp::real
