// SPDX-License-Identifier: BSD-3-Clause
// ovlp cluster
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "cluster_picture.hpp"
#include "cluster_platform.hpp"
#include "options.hpp"
#include "results/over_time.hpp"
#include "results/stored_cluster.hpp"
#include "server/simulate.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"
#include "workload/profiles.hpp"

namespace ovlp::tools {
namespace {

struct cluster_options {
  std::string workload, csv, output, over_time, picture;
  std::vector<std::string> schedulers;
  cluster::node_count nodes = 0;
  cluster_platform on;
  bool by_forecasts = false;
};

constexpr std::size_t windows = 200;

std::string table_of(std::vector<cluster::cluster_run> const& runs) {
  text_table table;
  table.add({"scheduler", "turnaround", "median", "95 %", "wait", "longest", "slowdown", "makespan", "utilization",
             "efficiency", "node-seconds", "changes"});
  for (cluster::cluster_run const& run : runs) {
    cluster::cluster_figures const of = figures_of(run);
    std::uint64_t changes = 0;
    for (cluster::job_result const& one : run.jobs) changes += one.changes;
    int const digits = of.makespan_s < 1000 ? 2 : 0;
    auto const text = [digits](double figure) { return base::fixed(figure, digits); };
    table.add({run.scheduler, text(of.mean_turnaround_s), text(of.median_turnaround_s), text(of.p95_turnaround_s),
               text(of.mean_wait_s), text(of.longest_wait_s), base::fixed(of.mean_bounded_slowdown, 2),
               text(of.makespan_s), base::fixed(100 * of.utilization, 1) + " %",
               base::fixed(100 * of.efficiency, 1) + " %", text(of.held_node_s), std::to_string(changes)});
  }
  return table.text();
}

/// Their turnarounds are shorter for it.
void note_cut_short(cluster::cluster_run const& of) {
  auto const done = std::ranges::count(of.jobs, cluster::job_result::end_type::completed, &cluster::job_result::end);
  auto const jobs = std::ssize(of.jobs);
  if (done < jobs)
    say("cluster", "note: " + of.scheduler + ": " + std::to_string(jobs - done) + " of " + std::to_string(jobs) +
                       " jobs were ended before they were done; figures count them up to there");
}

void run_cluster(cluster_options const& given) {
  base::notice_interrupts();  // programs that run end with us
  expect_picture(given.picture);
  base::expect_outputs({{given.csv, "scheduler,"},
                        {given.over_time, "scheduler,"},
                        {given.picture, base::picture_begins(given.picture)}});
  if (!given.output.empty()) cluster::expect_storable(given.output);
  cluster::workload of = cluster::read_workload(given.workload);
  if (given.by_forecasts) std::ranges::for_each(of.jobs, [](cluster::job& one) { one.program.clear(); });
  for (std::string const& note : of.notes) say("cluster", "note: " + note);
  cluster::node_count const nodes = given.nodes > 0 ? given.nodes : of.nodes;
  if (nodes == 0) throw config_error("--nodes: expected, for the workload does not say how many the cluster has");
  cluster::cluster_description const on = given.on.description(of, nodes);
  std::vector<std::unique_ptr<cluster::scheduler>> deciders;  // what is wrong with one is said before any run
  for (std::string const& name : given.schedulers) {
    if (std::ranges::count(given.schedulers, name) > 1)
      throw config_error("--scheduler: expected each once, got '" + name + "' more than once");
    deciders.push_back(cluster::make_scheduler(name, on.patience_s));
  }
  std::vector<cluster::cluster_run> runs;
  for (std::size_t i = 0; i < deciders.size(); ++i) {
    std::string const& name = given.schedulers[i];
    runs.push_back(simulate(of, on, name, *deciders[i]));
    deciders[i].reset();
    runs.back().scheduler = std::filesystem::path(name).filename().string();  // of a program
    for (std::string const& note : runs.back().notes) say("cluster", "note: " + note);
    for (std::string const& failure : runs.back().failures) say("cluster", failure);
    note_cut_short(runs.back());
  }
  if (!given.csv.empty()) base::write_output(given.csv, cluster::csv_of(runs));
  if (!given.over_time.empty()) base::write_output(given.over_time, cluster::csv_over_time(runs, windows));
  if (!given.output.empty()) cluster::store_cluster(given.output, runs);
  if (!given.picture.empty()) draw_cluster(runs, given.picture);
  std::size_t failed = 0;
  for (cluster::cluster_run const& run : runs) failed += run.failures.size();
  if (given.csv != "-" && given.over_time != "-")
    base::write_output("-", std::to_string(of.jobs.size()) + " jobs on " + std::to_string(nodes) +
                                " nodes, offered load " + base::fixed(offered_load(of, nodes), 2) + "; times in s\n" +
                                table_of(runs));
  if (failed > 0) throw error(std::to_string(failed) + " jobs have failed");
}

}  // namespace

void add_cluster(CLI::App& ovlp) {
  auto const given = std::make_shared<cluster_options>();
  CLI::App& app = *ovlp.add_subcommand(
      "cluster", "Simulate a cluster whose nodes many programs share, under one scheduler or several");
  add_required(app, "WORKLOAD", given->workload, "FILE",
               "jobs: of ovlp workload, .swf, .swf.gz, or sacct's .csv, .txt");
  add_option(app, "--nodes", given->nodes, "N", "of the cluster (default: the workload's)",
             whole_number(1, 10'000'000));
  app.add_option("--scheduler", given->schedulers,
                 "who decides: " + cluster::scheduler_names() + ", or ./PROGRAM, with commas between")
      ->type_name("NAMES")
      ->delimiter(',')
      ->required();
  given->on.add_to(app);
  app.add_flag("--by-forecasts", given->by_forecasts, "let programs take as long as their forecasts say");
  add_option(app, "--csv", given->csv, "FILE", "a row a job and scheduler");
  add_option(app, "--over-time", given->over_time, "FILE",
             "a row a window of time and scheduler: nodes that are held, jobs that wait, efficiency");
  add_option(app, "--picture", given->picture, "FILE", "draw nodes and waiting jobs over time: .svg, .png");
  add_option(app, "-o,--output", given->output, "RUN", "store what became of all jobs, for ovlp report");
  app.footer(
      "Example:\n"
      "  ovlp workload --jobs 1000 --nodes 256 --load 0.9 --malleable 1 -o workload.json\n"
      "  ovlp cluster workload.json --scheduler easy,equipartition,gain -o runs.sqlite\n"
      "  ovlp report runs.sqlite -o runs.html\n"
      "More: docs/cluster.md");
  app.callback([given] { run_cluster(*given); });
}

}  // namespace ovlp::tools
