// SPDX-License-Identifier: BSD-3-Clause
// ovlp plot
#include <cstdio>
#include <memory>
#include <string>

#include "checks.hpp"
#include "efficiency_plot.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

CLI::Validator picture() {
  return CLI::Validator(
      [](std::string& given) {
        return is_picture(given) ? std::string() : "expected a file that ends in .svg or .png, got '" + given + "'";
      },
      "");
}

void add_efficiency(CLI::App& plot) {
  auto const options = std::make_shared<plot_options>();
  auto const kind = std::make_shared<std::string>();
  CLI::App& efficiency =
      *plot.add_subcommand("efficiency", "Dynamic efficiency over the iterations of one or more runs");
  efficiency
      .add_option("inputs", options->inputs,
                  "CSV files of --efficiency, or of --efficiency-over-time, one for each run")
      ->required()
      ->type_name("FILE");
  efficiency.add_option("-o,--output", options->output, "picture to write, .svg or .png")
      ->required()
      ->type_name("FILE")
      ->check(picture());
  efficiency
      .add_option(
          "--kind", *kind,
          "iteration: efficiency between an iteration's start and its end; interval: between the ends of the "
          "iteration before and of this one; time: in a sliding window. Without it by interval if the iterations of a "
          "run overlap, else by iteration")
      ->type_name("iteration|interval|time")
      ->check(among("iteration|interval|time"));
  efficiency.footer(
      "Examples:\n"
      "  ovlp plot efficiency run.csv -o run.png\n"
      "  ovlp plot efficiency --kind interval 4-nodes.csv 8-nodes.csv -o efficiency.svg\n"
      "  ovlp plot efficiency --kind time over-time.csv -o over-time.svg\n"
      "Format: docs/formats/efficiency.md");
  efficiency.callback([options, kind] {
    if (*kind == "iteration") options->kind = efficiency_kind::iteration;
    if (*kind == "interval") options->kind = efficiency_kind::interval;
    if (*kind == "time") options->kind = efficiency_kind::time;
    if (plot_efficiency(*options) == efficiency_kind::interval && !options->kind) {
      std::fputs("ovlp: note: iterations overlap, so intervals are drawn; --kind iteration draws each for itself\n",
                 stderr);
    }
  });
}

}  // namespace

void add_plot(CLI::App& ovlp) {
  CLI::App& plot = *ovlp.add_subcommand("plot", "Draw figures of runs (with gnuplot)");
  plot.require_subcommand(1);
  add_efficiency(plot);
}

}  // namespace ovlp::tools
