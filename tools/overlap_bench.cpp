// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap bench
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>

#include "bench/operations.hpp"
#include "bench/results.hpp"
#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct overlap_bench_options {
  std::vector<std::string> operations;
  std::string backend = "real";
  std::size_t nodes = 2;
  std::string platform, add_ns;  ///< of simulations
  /// For the program, as they are given to it.
  struct measurement {
    char const *option, *type, *what;
    std::string value = {};
  };
  std::vector<measurement> measured{
      {"--bytes", "N", "of a block: what a node gives another one, or all (65536)"},
      {"--time", "SECONDS", "seconds that the operation is to take; bytes are found for that"},
      {"--slices", "N", "pieces of the work in the row with progress (16)"},
      {"--runs", "N", "of each trial, at least (20; simulated 1)"},
      {"--searches", "N", "each with a reference of its own (6; simulated 1)"},
      {"--tolerance", "PART", "by which a trial may be longer, as a part of the reference (0; simulated 0.01)"}};
  std::string csv, picture;
  double time_limit_s = 1800;
};

/// Programs of the benchmark stand beside this one.
std::string program_beside(std::string const& name) {
  std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe");
  std::string program = self.parent_path() / name;
  if (!std::filesystem::exists(program))
    throw config_error("'" + program + "' is missing: it is built where Open MPI is installed");
  return program;
}

base::command command_of(overlap_bench_options const& options) {
  base::command run;
  std::string const nodes = std::to_string(options.nodes), with_conductor = std::to_string(options.nodes + 1);
  if (options.backend == "mpi") {
    run.words = {"mpirun.openmpi", "--oversubscribe", "-n", nodes, program_beside("overlap_bench_mpi")};
    if (::geteuid() == 0) run.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  } else {
    run.words = {program_beside("overlap_bench_" + options.backend), "--nodes", with_conductor};
  }
  if (options.backend == "sim") {
    run.words.insert(run.words.end(), {"--execution", "partial", "--no-alloc"});
    if (!options.platform.empty()) run.words.insert(run.words.end(), {"--platform", options.platform});
    if (!options.add_ns.empty()) run.words.insert(run.words.end(), {"--add-ns", options.add_ns});
  } else if (!options.platform.empty() || !options.add_ns.empty()) {
    throw config_error("overlap bench: --platform and --add-ns: expected with --backend sim, got --backend " +
                       options.backend);
  }
  for (auto const& each : options.measured) {
    if (!each.value.empty()) run.words.insert(run.words.end(), {each.option, each.value});
  }
  run.words.insert(run.words.end(), options.operations.begin(), options.operations.end());
  run.time_limit = std::chrono::duration<double>(options.time_limit_s);
  return run;
}

/// Why it was not good, in one line: of what mpirun says, that is not the last one.
std::string complaint_of(base::outcome const& ran, double time_limit_s) {
  if (ran.timed_out) return "took longer than the " + base::fixed(time_limit_s, 0) + " s of --time-limit";
  for (std::string_view const start : {"overlap_bench:", "mpirun"}) {
    for (std::string const& line : base::lines_of(ran.err)) {
      if (line.starts_with(start)) return line;
    }
  }
  return ran.complaint();
}

/// How much of each operation is hidden, with its interval. Of each there are two rows, without calls for progress and
/// with.
charts::chart chart_of(std::vector<overlap_bench::result> const& rows) {
  charts::chart drawn{.title = "Work hidden behind operations: " + rows.front().backend + ", " +
                               std::to_string(rows.front().ranks) + " nodes",
                      .y = {.label = "hidden [% of the operation]", .from = 0, .to = 100},
                      .all = {{"work in one piece", charts::mark::bars, 0},
                              {std::to_string(rows.at(1).slices - 1) + " calls for progress", charts::mark::bars, 1}}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    overlap_bench::overlap const& m = rows[i].measured;
    std::size_t const place = i / 2;
    drawn.all[i % 2].points.push_back(
        {static_cast<double>(place), 100 * m.hidden, 100 * m.hidden_low, 100 * m.hidden_high});
    if (i % 2 == 0) drawn.x.names.push_back(rows[i].operation);
  }
  return drawn;
}

void run_overlap_bench(overlap_bench_options const& options) {
  expect_picture(options.picture);
  std::size_t const expected = 2 * overlap_bench::operations_named(options.operations).size();
  base::expect_outputs({{options.csv, "operation,"}, {options.picture, base::picture_begins(options.picture)}});
  base::notice_interrupts();
  base::command const command = command_of(options);
  base::outcome const ran = base::run(command);
  if (!ran.good()) throw io_error("overlap bench: " + complaint_of(ran, options.time_limit_s));
  std::vector<overlap_bench::result> const rows = overlap_bench::read_results(ran.out, command.words.front());
  if (rows.size() != expected)
    throw io_error(command.words.front() + ": expected " + std::to_string(expected) + " rows, got " +
                   std::to_string(rows.size()));
  if (!options.csv.empty()) base::write_output(options.csv, ran.out);
  if (!options.picture.empty()) charts::draw(chart_of(rows), options.picture);
  if (options.csv != "-") base::write_output("-", overlap_bench::table_of(rows));
}

}  // namespace

void add_overlap_bench(CLI::App& overlap) {
  auto const options = std::make_shared<overlap_bench_options>();
  CLI::App& bench = *overlap.add_subcommand(
      "bench", "Measure or predict the most work that can be injected during an operation without making it longer");
  add_option(bench, "operations", options->operations, "OPERATION", "broadcast, scatter, ...; without it all");
  add_choice(bench, "--backend", options->backend, "real|sim|mpi",
             "real, sim: flow graphs, run or simulated; mpi: Open MPI's collectives");
  add_option(bench, "--nodes", options->nodes, "N", "that take part (2)", whole_number(2, 65535));
  add_option(bench, "--platform", options->platform, "NAME|FILE", "of --backend sim");
  add_option(bench, "--add-ns", options->add_ns, "NS",
             "of --backend sim: nanoseconds that a reduction takes to add a number (0)");
  for (auto& each : options->measured) add_option(bench, each.option, each.value, each.type, each.what);
  bench.get_option("--time")->excludes("--bytes");
  add_option(bench, "--csv", options->csv, "FILE", "all figures, for programs");
  add_option(bench, "--picture", options->picture, "FILE", "shares hidden, with their intervals (.svg, .png)");
  add_option(bench, "--time-limit", options->time_limit_s, "SECONDS", "of the measurement (1800)", quantity(1e-3, 1e9));
  bench.footer(
      "Examples:\n"
      "  ovlp overlap bench broadcast all-to-all --time 0.005\n"
      "  ovlp overlap bench --backend mpi --nodes 4 --bytes 100000 --csv mpi.csv\n"
      "  ovlp overlap bench --backend sim --nodes 8 --platform gigabit\n"
      "Method: docs/overlap-bench.md");
  bench.callback([options] { run_overlap_bench(*options); });
}

}  // namespace ovlp::tools
