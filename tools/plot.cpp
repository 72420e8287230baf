// SPDX-License-Identifier: BSD-3-Clause
// ovlp plot
#include <cstdio>
#include <memory>
#include <string>

#include "checks.hpp"
#include "columns_plot.hpp"
#include "efficiency_plot.hpp"
#include "picture.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

CLI::Validator picture_name() {
  return CLI::Validator(
      [](std::string& given) {
        return is_picture(given) ? std::string() : "expected a file that ends in .svg or .png, got '" + given + "'";
      },
      "");
}

void add_output(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "picture to write, .svg or .png")
      ->required()
      ->type_name("FILE")
      ->check(picture_name());
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
  add_output(efficiency, options->output);
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

void add_columns(CLI::App& plot) {
  auto const options = std::make_shared<columns_plot_options>();
  CLI::App& columns = *plot.add_subcommand("columns", "A column of a sweep's runs over another one");
  columns.add_option("runs", options->runs, "as ovlp sweep writes them")->required()->type_name("RUNS");
  columns.add_option("--x", options->x, "column: an option, or a figure of the summary")
      ->required()
      ->type_name("COLUMN");
  columns.add_option("--y", options->y, "column; of runs with the same x the median and the range")
      ->required()
      ->type_name("COLUMN");
  columns.add_option("--group", options->group, "column; runs that agree in it are a line")->type_name("COLUMN");
  columns.add_option("--log", options->log, "an axis of logarithms; may be repeated")
      ->allow_extra_args(false)
      ->type_name("x|y")
      ->check(among("x|y"));
  add_output(columns, options->output);
  columns.footer(
      "Examples:\n"
      "  ovlp plot columns runs.sqlite --x nodes --y time_s --group block -o time.svg\n"
      "Format: docs/formats/sweep.md");
  columns.callback([options] { plot_columns(*options); });
}

}  // namespace

void add_plot(CLI::App& ovlp) {
  CLI::App& plot = *ovlp.add_subcommand("plot", "Draw figures of runs (with gnuplot)");
  plot.require_subcommand(1);
  add_efficiency(plot);
  add_columns(plot);
}

}  // namespace ovlp::tools
