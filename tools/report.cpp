// SPDX-License-Identifier: BSD-3-Clause
// ovlp report
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/report/run_figures.hpp>
#include <ovlp/report/stored_files.hpp>

#include "cluster_page.hpp"
#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct report_options {
  std::vector<std::string> runs, names;
  std::string output;
  double cores = 1;
};

void write_report(report_options const& options) {
  if (options.names.size() > options.runs.size()) {
    throw config_error("--name: expected one for each of " + std::to_string(options.runs.size()) + " runs, got " +
                       std::to_string(options.names.size()));
  }
  for (std::string const& run : options.runs) expect_another_file(options.output, run);
  base::expect_outputs({{options.output, "<!doctype html>"}});
  if (std::ranges::any_of(options.runs, cluster::is_stored_cluster)) {
    for (std::string const& run : options.runs) {
      if (!cluster::is_stored_cluster(run))
        throw config_error("'" + run + "': expected runs of a cluster, as the other files have");
    }
    std::string const name = options.names.empty() ? "" : options.names.front();
    base::write_output(options.output, cluster_page(cluster::read_clusters(options.runs), name));
    return;
  }
  std::vector<report::run_figures> runs;
  for (std::size_t i = 0; i < options.runs.size(); ++i) {
    std::string const name = i < options.names.size() ? options.names[i] : "";
    runs.push_back(report::read_figures(options.runs[i], name, options.cores));
    for (std::string const& note : runs.back().notes) say("report", options.runs[i] + ": " + note);
  }
  if (std::string const comparison = report::comparison_of(runs); !comparison.empty()) say("report", comparison);
  base::write_output(options.output, report::make_page(runs));
}

}  // namespace

void add_report(CLI::App& ovlp) {
  auto const options = std::make_shared<report_options>();
  CLI::App& command =
      *ovlp.add_subcommand("report", "Show runs that were stored (--record; cluster -o) on a page for a browser");
  add_required(command, "runs", options->runs, "RUN",
               "the records; of a real run that of node 0, beside which those of the others are");
  add_required(command, "-o,--output", options->output, "FILE", "page to write; -: to standard output");
  add_option(command, "--name", options->names, "NAME", "what to call the runs, in their order (their files' names)");
  add_option(command, "--cores", options->cores, "N",
             "reference cores of a node, for the efficiency of nodes whose record does not tell or is missing (1)",
             quantity(1e-9, 1e15));
  command.footer(
      "Examples:\n"
      "  lu_sim --nodes 8 --record lu.sqlite && ovlp report lu.sqlite -o lu.html\n"
      "  ovlp report real.sqlite simulated.sqlite -o both.html --name measured --name predicted\n"
      "  ovlp cluster workload.json --scheduler easy,gain -o runs.sqlite && ovlp report runs.sqlite -o runs.html\n"
      "  ovlp report simulated.sqlite real.sqlite -o both.html       of ovlp cluster, without and with --real\n"
      "What it shows: docs/report.md, docs/cluster.md");
  command.callback([options] { write_report(*options); });
}

}  // namespace ovlp::tools
