// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `ovlp` for clusters that many programs share.
#include <string>
#include <vector>

#include "command.hpp"
#include "subcommands.hpp"

int main(int argc, char** argv) {
  using namespace ovlp::tools;
  return run_command(argc, argv, [](CLI::App& ovlp, std::vector<std::string> const&) {
    add_workload(ovlp);
    add_cluster(ovlp);
  });
}
