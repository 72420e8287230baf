// SPDX-License-Identifier: BSD-3-Clause
// The command `ovlp`: what simulates, plans and reports. Its other subcommands are programs of their own (parts.hpp).
#include <string>
#include <vector>

#include "command.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

int main(int argc, char** argv) {
  using namespace ovlp::tools;
  return run_command(argc, argv, [&](CLI::App& ovlp, std::vector<std::string> const& program) {
    become_part(argc, argv);
    add_transfers(ovlp);
    add_sweep(ovlp);
    add_advise(ovlp, program);
    add_whatif(ovlp, program);
    add_explore(ovlp, program);
    add_part(ovlp, "trace");
    add_part(ovlp, "threads");
    CLI::App& plot = *ovlp.add_subcommand("plot", "Draw figures of runs (with gnuplot)");
    plot.require_subcommand(1);
    add_plot_efficiency(plot);
    add_plot_columns(plot);
    add_platform(ovlp);
    add_part(ovlp, "export");
    add_metrics(ovlp, program);
    add_part(ovlp, "overlap");
    add_part(ovlp, "replay");
    add_report(ovlp);
    add_part(ovlp, "fit");
    add_part(ovlp, "calibrate");
    add_part(ovlp, "validate");
    add_part(ovlp, "intervals");
    add_part(ovlp, "workload");
    add_part(ovlp, "cluster");
    add_nodes(ovlp);
    add_status(ovlp);
  });
}
