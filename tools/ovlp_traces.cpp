// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `ovlp` about traces: of MPI programs, of threads, and for other tools.
#include <string>
#include <vector>

#include "command.hpp"
#include "subcommands.hpp"

int main(int argc, char** argv) {
  using namespace ovlp::tools;
  return run_command(argc, argv, [](CLI::App& ovlp, std::vector<std::string> const& program) {
    add_trace(ovlp, program);
    add_threads(ovlp, program);
    add_export(ovlp);
    add_overlap(ovlp, program);
    add_replay(ovlp);
  });
}
