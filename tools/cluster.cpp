// SPDX-License-Identifier: BSD-3-Clause
// ovlp cluster
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/machines.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/text.hpp>

#include "cluster_picture.hpp"
#include "cluster_platform.hpp"
#include "options.hpp"
#include "results/over_time.hpp"
#include "results/stored_cluster.hpp"
#include "server/real_runs.hpp"
#include "server/server.hpp"
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
  bool real = false;
  std::string hosts, launch, listen, logs;
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
    table.add({run.title(), text(of.mean_turnaround_s), text(of.median_turnaround_s), text(of.p95_turnaround_s),
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
    say("cluster", "note: " + of.title() + ": " + std::to_string(jobs - done) + " of " + std::to_string(jobs) +
                       " jobs were ended before they were done; figures count them up to there");
}

/// Where programs run for real. Errors: config_error.
cluster::real_cluster real_cluster_of(cluster_options const& given) {
  cluster::real_cluster made;
  if (given.hosts.empty()) {
    for (auto const& [name, value] : {std::pair{"--launch", &given.launch}, {"--listen", &given.listen}})
      if (!value->empty()) throw config_error(std::string(name) + ": expected with --hosts");
  } else {
    base::machines const on = base::read_machines(given.hosts, given.launch);
    made.hosts = on.hosts;
    made.launch_template = on.launch_template;
    made.listen = given.listen;
    if (given.listen.empty() && !on.slurm_job.empty()) made.listen = on.hosts.front().address;
    if (made.listen.empty())
      throw config_error("--listen: expected with --hosts, an address of this machine at which the hosts reach it");
  }
  made.patience_s = given.on.patience_s.value_or(made.patience_s);
  made.complain = [](std::string const& line) { say("cluster", line); };
  if (!given.logs.empty()) base::make_folder(given.logs);
  made.logs = given.logs;
  return made;
}

/// The jobs' real programs in the place of simulated ones.
void make_real(cluster::workload& of) {
  for (cluster::job& one : of.jobs) {
    if (one.program.empty()) throw config_error("--real: job '" + one.name + "': expected a program, not a forecast");
    if (!one.real_program.empty()) one.program.front() = one.real_program;
    if (base::find_program(one.program.front()).empty())
      throw config_error("--real: job '" + one.name + "': expected a program that can be run, got '" +
                         one.program.front() + "'");
  }
}

void expect_no_real_options(cluster_options const& given) {
  for (auto const& [name, value] : {std::pair{"--hosts", &given.hosts},
                                    {"--launch", &given.launch},
                                    {"--listen", &given.listen},
                                    {"--logs", &given.logs}})
    if (!value->empty()) throw config_error(std::string(name) + ": expected with --real");
}

cluster::node_count nodes_of(cluster_options const& given, cluster::workload const& of,
                             cluster::real_cluster const& real) {
  if (given.nodes > real.hosts.size() && !real.hosts.empty())
    throw config_error("--nodes: expected at most the " + std::to_string(real.hosts.size()) + " hosts of '" +
                       given.hosts + "', got " + std::to_string(given.nodes));
  if (given.nodes > 0) return given.nodes;
  if (!real.hosts.empty()) return static_cast<cluster::node_count>(real.hosts.size());
  if (of.nodes == 0) throw config_error("--nodes: expected, for the workload does not say how many the cluster has");
  return of.nodes;
}

std::string clock_text(double s) {
  auto const whole = static_cast<long>(s);
  std::string const minutes = std::to_string(whole / 60 % 60), seconds = std::to_string(whole % 60);
  auto const two = [](std::string const& digits) { return digits.size() < 2 ? "0" + digits : digits; };
  return whole < 3600 ? minutes + ":" + two(seconds)
                      : std::to_string(whole / 3600) + ":" + two(minutes) + ":" + two(seconds);
}

/// When all will have ended, from the first arrival on, if jobs take as long as was forecast; 0: of some nothing was.
double foreseen_end_s(cluster::workload of, cluster::node_count nodes, std::string const& scheduler) {
  for (cluster::job& one : of.jobs) {
    if (one.malleable() && !one.foreseen()) return 0;
    one.program.clear();
  }
  return simulate(of, {nodes}, scheduler, *cluster::make_scheduler(scheduler)).makespan_s();
}

std::string progress_of(cluster::known const& now, std::size_t ended, cluster::workload const& of, double end_s) {
  std::string text = clock_text(now.now_s - of.jobs.front().arrival_s) + "  " + std::to_string(now.nodes - now.free) +
                     " of " + std::to_string(now.nodes) + " nodes held, " + std::to_string(now.running.size()) +
                     " jobs run, " + std::to_string(now.waiting.size()) + " wait, " + std::to_string(ended) + " of " +
                     std::to_string(of.jobs.size()) + " have ended";
  if (end_s > 0) text += "; all are forecast to in " + clock_text(end_s);
  return text;
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
  cluster::real_cluster real;
  if (given.real) {
    real = real_cluster_of(given);
    make_real(of);
  } else {
    expect_no_real_options(given);
  }
  cluster::node_count const nodes = nodes_of(given, of, real);
  cluster::cluster_description const on =
      given.real ? cluster::cluster_description{nodes} : given.on.description(of, nodes);
  std::vector<std::unique_ptr<cluster::scheduler>> deciders;  // what is wrong with one is said before any run
  for (std::string const& name : given.schedulers) {
    if (std::ranges::count(given.schedulers, name) > 1)
      throw config_error("--scheduler: expected each once, got '" + name + "' more than once");
    deciders.push_back(cluster::make_scheduler(name, on.patience_s));
  }
  std::vector<cluster::cluster_run> runs;
  cluster::watching watched;
  base::terminal_line shows;
  if (given.real && shows.is_seen()) {
    double const end_s = foreseen_end_s(of, nodes, given.schedulers.front());
    watched.look = [&, end_s](cluster::known const& now, std::size_t ended) {
      shows.show(progress_of(now, ended, of, end_s));
    };
  }
  std::chrono::steady_clock::time_point next_kept{};
  bool complained = false;
  if (given.real && !given.output.empty()) {  // a server that is killed loses what runs, and nothing else
    watched.keep = [&](cluster::cluster_run const& so_far) {
      auto const begun = std::chrono::steady_clock::now();
      if (begun < next_kept) return;
      auto all = runs;
      all.push_back(so_far);
      try {
        cluster::store_cluster(given.output, all);
      } catch (io_error const& wrong) {
        if (!std::exchange(complained, true)) say("cluster", "note: " + std::string(wrong.what()));
      }
      next_kept = std::chrono::steady_clock::now() + 200 * (std::chrono::steady_clock::now() - begun);
    };
  }
  for (std::size_t i = 0; i < deciders.size(); ++i) {
    std::string const& name = given.schedulers[i];
    runs.push_back(given.real ? run_cluster(of, nodes, name, *deciders[i], *make_real_runs(real), watched)
                              : simulate(of, on, name, *deciders[i]));
    deciders[i].reset();
    shows.clear();
    runs.back().scheduler = std::filesystem::path(name).filename().string();  // of a program
    for (std::string const& note : runs.back().notes) say("cluster", "note: " + note);
    for (std::string const& failure : runs.back().failures) say("cluster", failure);
    note_cut_short(runs.back());
    if (base::noticed_interrupt() != 0) break;
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
  if (base::noticed_interrupt() != 0) throw base::interrupted{"what is done"};
  if (failed > 0) throw error(std::to_string(failed) + " jobs have failed");
}

}  // namespace

void add_cluster(CLI::App& ovlp) {
  auto const given = std::make_shared<cluster_options>();
  CLI::App& app = *ovlp.add_subcommand(
      "cluster", "Simulate a cluster whose nodes many programs share, or run it, under one scheduler or several");
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
  CLI::Option* const by_forecasts =
      app.add_flag("--by-forecasts", given->by_forecasts, "let programs take as long as their forecasts say");
  app.add_flag("--real", given->real, "run the jobs' real programs, in real time")->excludes(by_forecasts);
  add_option(
      app, "--hosts", given->hosts, "FILE",
      "of --real: machines of the nodes, or slurm: those of the job that this runs in (default: all are this one)");
  add_option(
      app, "--launch", given->launch, "COMMAND",
      "of --hosts: what starts a process, with {host}, {program} and {arguments} (default: 'ssh {host} {program} "
      "{arguments}', or srun)");
  add_option(app, "--listen", given->listen, "ADDRESS", "of --hosts: of this machine, at which the hosts reach it");
  add_option(app, "--logs", given->logs, "FOLDER", "of --real: for what jobs print, a file each");
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
