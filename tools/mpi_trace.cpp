// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_trace.hpp"

#include <cstdio>

#include <ovlp/mpi/describe.hpp>

namespace ovlp::tools {

mpi::trace read_mpi_trace(std::string const& command, std::string const& file, double flops) {
  mpi::trace read = mpi::read_trace(file, flops);
  if (std::string const left_out = mpi::describe_left_out(read); !left_out.empty()) {
    std::fprintf(stderr, "%s: '%s' does not have, and what follows does not count: %s\n", command.c_str(),
                 read.name.c_str(), left_out.c_str());
  }
  return read;
}

}  // namespace ovlp::tools
