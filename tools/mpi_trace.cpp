// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_trace.hpp"

#include <ovlp/mpi/describe.hpp>

#include "subcommands.hpp"

namespace ovlp::tools {

mpi::trace read_mpi_trace(std::string const& command, std::string const& file, double flops) {
  mpi::trace read = mpi::read_trace(file, flops);
  if (std::string const left_out = mpi::describe_left_out(read); !left_out.empty())
    say(command, "'" + read.name + "' does not have, and what follows does not count: " + left_out);
  return read;
}

}  // namespace ovlp::tools
