// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ovlp::tools {

/// A program that the command ran has failed, and the command ends with its status.
struct program_failed : std::runtime_error {
  program_failed(std::string const& what, int with_status) : runtime_error(what), status(with_status) {}
  int status;
};

// Each adds a subcommand with its options. It runs at the end of parsing, if it is asked for. `program`:
// as run_command() has it. Errors of running: ovlp::error; base::interrupted.

void add_advise(CLI::App& ovlp, std::vector<std::string> const& program);
void add_cluster(CLI::App& ovlp);
void add_explore(CLI::App& ovlp, std::vector<std::string> const& program);
void add_export(CLI::App& ovlp);
void add_fit(CLI::App& ovlp);
void add_intervals(CLI::App& ovlp);
void add_metrics(CLI::App& ovlp, std::vector<std::string> const& program);
void add_nodes(CLI::App& ovlp);
void add_overlap_graph(CLI::App& overlap, std::vector<std::string> const& program);
void add_overlap_potential(CLI::App& overlap);
void add_overlap_study(CLI::App& overlap);
void add_overlap_bench(CLI::App& overlap);
void add_platform(CLI::App& ovlp);
void add_plot_columns(CLI::App& plot);
void add_plot_efficiency(CLI::App& plot);
void add_replay(CLI::App& ovlp);
void add_report(CLI::App& ovlp);
void add_status(CLI::App& ovlp);
void add_sweep(CLI::App& ovlp);
void add_threads_compare(CLI::App& threads);
void add_threads_map(CLI::App& threads);
void add_threads_place(CLI::App& threads, std::vector<std::string> const& program);
void add_threads_run(CLI::App& threads, std::vector<std::string> const& program);
void add_threads_show(CLI::App& threads);
void add_threads_trace(CLI::App& threads, std::vector<std::string> const& program);
void add_trace(CLI::App& ovlp, std::vector<std::string> const& program);
void add_transfers(CLI::App& ovlp);
void add_validate(CLI::App& ovlp);
void add_workload(CLI::App& ovlp);
void add_whatif(CLI::App& ovlp, std::vector<std::string> const& program);

/// A line on standard error: "ovlp COMMAND: TEXT".
void say(std::string const& command, std::string const& text);
/// Of a simulated program that `command` has run several times: warns if its runs differ by more than what was changed.
void warn_if_measured(std::vector<std::string> const& program, std::string const& command);

}  // namespace ovlp::tools
