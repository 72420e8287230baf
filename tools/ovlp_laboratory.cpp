// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `ovlp` that compare predictions with measurements. Calibration is a program of the runtime's.
#include <string>
#include <vector>

#include "command.hpp"
#include "subcommands.hpp"

int main(int argc, char** argv) {
  using namespace ovlp::tools;
  return run_command(argc, argv, [](CLI::App& ovlp, std::vector<std::string> const&) {
    add_fit(ovlp);
    add_intervals(ovlp);
    add_validate(ovlp);
  });
}
