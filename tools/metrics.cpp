// SPDX-License-Identifier: BSD-3-Clause
// ovlp metrics
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/store/open_run.hpp>

#include "options.hpp"
#include "rerun.hpp"
#include "run_metrics.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using json = nlohmann::ordered_json;

struct metrics_options {
  std::string run, ideal, reference, json_file;
  bool rerun = false;
  std::vector<std::string> program;
};

constexpr std::size_t most_rows = 10;

void print_costs(json const& path, char const* title, char const* key) {
  json const& rows = path[key];
  if (rows.empty()) return;
  double const run_s = path["run_s"];
  std::printf("\n%s\n", title);
  for (std::size_t i = 0; i < std::min(most_rows, rows.size()); ++i) {
    double const seconds = rows[i]["seconds"];
    std::printf("  %-50s %12.6f s %6.1f %%\n", rows[i]["name"].get<std::string>().c_str(), seconds,
                run_s > 0 ? 100 * seconds / run_s : 0);
  }
  if (rows.size() > most_rows) std::printf("  and %zu more: --json\n", rows.size() - most_rows);
}

/// Numbers the remarks on all windows, each once, in the order in which they come.
std::string number_of(std::string const& remark, std::vector<std::string>& all) {
  auto const found = std::ranges::find(all, remark);
  auto const number = found - all.begin() + 1;
  if (found == all.end()) all.push_back(remark);
  return " (" + std::to_string(number) + ")";
}

void print_efficiencies(json const& windows) {
  std::printf("\nEfficiency, %%    time [s]   parallel = balance x communication = serialization x transfer\n");
  auto const percent = [](json const& value) {
    return value.is_null() ? "-" : base::fixed(100 * value.get<double>(), 1);
  };
  std::vector<std::string> remarks;
  for (json const& w : windows) {
    std::string marks;
    for (json const& remark : w["remarks"]) marks += number_of(remark, remarks);
    std::string const name = w["iteration"] == 0 ? "run" : "iteration " + std::to_string(w["iteration"].get<int>());
    std::printf("%-14s %10.6f   %8s   %7s   %13s   %13s   %8s%s\n", name.c_str(),
                w["end_s"].get<double>() - w["start_s"].get<double>(), percent(w["parallel"]).c_str(),
                percent(w["load_balance"]).c_str(), percent(w["communication"]).c_str(),
                percent(w["serialization"]).c_str(), percent(w["transfer"]).c_str(), marks.c_str());
  }
  for (std::size_t i = 0; i < remarks.size(); ++i) std::printf("(%zu) %s\n", i + 1, remarks[i].c_str());
  if (json const& run = windows.front(); !run["global"].is_null()) {
    std::printf("computation scaling %s %%, global efficiency %s %%\n", percent(run["computation_scaling"]).c_str(),
                percent(run["global"]).c_str());
  }
}

void print(json const& all) {
  if (auto const reservation = all["reservation"].get<std::string>(); !reservation.empty())
    std::printf("%s\n", reservation.c_str());
  json const& path = all["critical_path"];
  if (auto const warning = all["warning"].get<std::string>(); !warning.empty()) std::printf("%s\n", warning.c_str());
  double const run_s = path["run_s"], length_s = path["length_s"];
  std::printf("%s, %s, %d nodes: %.6f s\n", all["application"].get<std::string>().c_str(),
              all["backend"].get<std::string>().c_str(), all["nodes"].get<int>(), run_s);
  std::printf("critical path    %.6f s of it recorded, %zu pieces\n", length_s, path["pieces"].get<std::size_t>());
  print_costs(path, "Critical path, by what it is spent with", "activities");
  print_costs(path, "by operation", "operations");
  print_costs(path, "by kernel, in its steps", "kernels");
  print_costs(path, "by edge, in messages", "edges");
  print_costs(path, "by node, in steps", "nodes");
  print_costs(path, "by link", "links");
  print_efficiencies(all["efficiencies"]);
}

std::unique_ptr<stored_run> open_if_given(std::string const& file) {
  if (file.empty()) return nullptr;
  std::unique_ptr<stored_run> run = open_run(file);
  run->expect_records();
  for (std::string const& word : {run->reservation(), warning_of(run->processors())})
    if (!word.empty()) say("metrics", "'" + file + "': " + word);
  return run;
}

/// On an ideal network it does the same work on the same nodes.
void expect_same_program(stored_run const& run, std::string const& ideal) {
  run_definitions const& here = run.definitions();
  run_definitions const there = open_run(ideal)->definitions();
  if (there.backend == "simulated" && there.application == here.application && there.nodes == here.nodes) return;
  throw config_error("--ideal: '" + ideal + "': expected a simulation of " + here.application + " on " +
                     std::to_string(here.nodes) + " nodes, got a " + there.backend + " run of " + there.application +
                     " on " + std::to_string(there.nodes));
}

/// The record of the run on an ideal network: that which is given, or a new one, if that was asked for. Nothing that a
/// record names is run otherwise: it may be anybody's. Empty: none.
std::string ideal_run(stored_run const& run, metrics_options const& options, std::filesystem::path const& folder) {
  if (!options.rerun && options.program.empty()) return options.ideal;
  run_facts const& about = run.about();
  if (!about.contains("platform"))
    throw config_error("expected a record of a simulation, for only that can be repeated");
  std::vector<std::string> command = options.program.empty() ? command_of(about) : without_platform(options.program);
  std::string const platform =
      machine::with_ideal_network(about.at("platform"), "the record's platform", machine::costs_of_messages::go);
  say("metrics", "runs " + shown(command));
  std::string record = folder / "ideal.sqlite";
  simulate_again(run, std::move(command), platform, record);
  return record;
}

/// How to get the record that is missing.
void say_what_is_missing(stored_run const& run) {
  if (!run.about().contains("platform") || run.outcome() == run_outcome::failed) return;
  say("metrics",
      "serialization and transfer are of a run on an ideal network: --ideal RUN has it; --rerun makes it, by "
      "running: " +
          shown(command_of(run.about())));
}

void show_metrics(metrics_options const& options) try {
  expect_another_file(options.json_file, options.run);
  base::expect_outputs({{options.json_file, "{\"reservation\""}});
  if (!options.ideal.empty() && !options.program.empty())
    throw config_error("--ideal: expected this or a program after --, got both");
  std::unique_ptr<stored_run> const opened = open_run(options.run);
  stored_run const& run = *opened;
  run.expect_records();
  base::temporary_folder const folder;
  std::string const ideal_file = ideal_run(run, options, folder.path());
  if (!ideal_file.empty()) expect_same_program(run, ideal_file);
  auto const ideal = open_if_given(ideal_file), reference = open_if_given(options.reference);
  json const all = metrics_of(run, ideal.get(), reference.get());
  if (auto const missing = all["missing"].get<std::string>(); !missing.empty())
    say("metrics", missing + "; the figures are of what is there");
  if (!options.json_file.empty())
    base::write_output(options.json_file, all.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  if (options.json_file != "-") print(all);
  if (json const& broken = all["broken"]; !broken.empty())
    throw error(
        "an identity of all runs does not hold, so its figures cannot be trusted: " + broken[0].get<std::string>() +
        (broken.size() > 1 ? "; and " + std::to_string(broken.size() - 1) + " others" : ""));
  if (ideal == nullptr) say_what_is_missing(run);
} catch (io_error const&) {
  throw;
} catch (config_error const&) {
  throw;
} catch (error const& wrong) {
  std::string const reservation = open_run(options.run)->reservation();
  throw error("'" + options.run + "': " + (reservation.empty() ? "" : reservation + ": ") + wrong.what());
}

}  // namespace

void add_metrics(CLI::App& ovlp, std::vector<std::string> const& program) {
  auto const options = std::make_shared<metrics_options>();
  options->program = program;
  CLI::App& command = *ovlp.add_subcommand(
      "metrics", "Say where the time of a stored run went: its critical path, and its efficiencies");
  add_required(command, "run", options->run, "RUN", "the record (--record)");
  add_option(command, "--ideal", options->ideal, "RUN",
             "record of the same run on a network that takes no time, for serialization and transfer");
  CLI::Option* const ideal = command.get_option("--ideal");
  command
      .add_flag("--rerun", options->rerun,
                "make it: of a simulation, by running the command that its record names; or the one after --")
      ->excludes(ideal);
  add_option(command, "--reference", options->reference, "RUN",
             "record of the run whose work computation scaling compares to");
  add_option(command, "--json", options->json_file, "FILE",
             "write all figures as JSON; - for standard output, and no text");
  command.footer(
      "Examples:\n"
      "  lu_sim --nodes 8 --record lu.sqlite && ovlp metrics lu.sqlite --rerun\n"
      "  ovlp metrics lu.sqlite -- lu_sim --nodes 8\n"
      "What each number means: docs/reading-a-run.md");
  command.callback([options] { show_metrics(*options); });
}

}  // namespace ovlp::tools
