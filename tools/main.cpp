// SPDX-License-Identifier: BSD-3-Clause
// The command `ovlp`.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include <ovlp/flowgraph/version.hpp>

#include "plot.hpp"
#include "transfers.hpp"

namespace {

constexpr int usage_error = 2;

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

CLI::Validator whole_number(std::size_t least, std::size_t most) {
  auto const check = [least, most](std::string& given) {
    std::size_t value = 0;
    bool const good = CLI::detail::lexical_cast(given, value) && value >= least && value <= most;
    return good ? std::string()
                : "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", got '" +
                      given + "'";
  };
  return CLI::Validator(check, "");
}

/// `words`: separated by |.
CLI::Validator among(std::string const& words) {
  return CLI::Validator(
      [words](std::string& given) {
        return ("|" + words + "|").find("|" + given + "|") != std::string::npos
                   ? std::string()
                   : "expected " + words + ", got '" + given + "'";
      },
      "");
}

CLI::Validator picture() {
  return CLI::Validator(
      [](std::string& given) {
        return ovlp::tools::is_picture(given) ? std::string()
                                              : "expected a file that ends in .svg or .png, got '" + given + "'";
      },
      "");
}

/// The command line was wrong.
int refuse(CLI::App const& commands, CLI::ParseError const& wrong) {
  CLI::App const* at = &commands;
  std::string name = commands.get_name();
  while (!at->get_subcommands().empty()) {  // those that were given
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  std::string what = wrong.what();
  if (auto const known = at->get_subcommands([](CLI::App const*) { return true; }); !known.empty()) {
    auto const rest = commands.remaining(true);
    what = "expected a command of";
    for (CLI::App const* command : known) what += (command == known.front() ? " " : ", ") + command->get_name();
    what += rest.empty() ? ", got none" : ", got '" + rest.front() + "'";
  }
  std::size_t const end = what.find(": At Most 1 required");  // "but received 2", says CLI11
  if (end != std::string::npos) what = what.substr(0, end) + ": expected once, but given again";
  std::fprintf(stderr, "ovlp: %s; see %s --help\n", one_line(what).c_str(), name.c_str());
  return usage_error;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App commands("Tools around runs of ovlp: network models by themselves, and plots", "ovlp");
  commands.set_version_flag("--version", "ovlp " + std::string(ovlp::version()), "print the version");
  commands.require_subcommand(1);
  commands.footer(
      "Examples:\n"
      "  ovlp transfers --platform cluster.json transfers.csv -o ends.csv\n"
      "  lu_sim --nodes 8 --efficiency basic.csv ...\n"
      "  ovlp plot efficiency basic.csv pipelined.csv -o efficiency.svg");

  ovlp::tools::transfers_options transfers;
  CLI::App& transfers_command = *commands.add_subcommand(
      "transfers", "Replay a list of transfers on a platform's network: writes when each has ended");
  transfers_command.add_option("--platform", transfers.platform, "platform: gigabit and the like, or a file (JSON)")
      ->required()
      ->type_name("PLATFORM");
  transfers_command.add_option("--nodes", transfers.nodes, "nodes of the network, instead of the platform's")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  transfers_command
      .add_option("input", transfers.input,
                  "CSV file with the columns start_s, source, destination, bytes; - is standard input")
      ->required()
      ->type_name("FILE");
  transfers_command.add_option("-o,--output", transfers.output, "CSV file to write; - is standard output")
      ->required()
      ->type_name("FILE");
  transfers_command.footer(
      "Examples:\n"
      "  ovlp transfers --platform cluster.json transfers.csv -o ends.csv\n"
      "  ovlp transfers --platform cluster.json --nodes 64 - -o - <transfers.csv | column -s, -t\n"
      "Formats: docs/formats/transfers.md, docs/formats/platform.md");

  CLI::App& plot_command = *commands.add_subcommand("plot", "Draw figures of runs (with gnuplot)");
  plot_command.require_subcommand(1);
  ovlp::tools::plot_options plot;
  CLI::App& efficiency_command =
      *plot_command.add_subcommand("efficiency", "Dynamic efficiency over the iterations of one or more runs");
  efficiency_command
      .add_option("inputs", plot.inputs, "CSV files of --efficiency, or of --efficiency-over-time, one for each run")
      ->required()
      ->type_name("FILE");
  efficiency_command.add_option("-o,--output", plot.output, "picture to write, .svg or .png")
      ->required()
      ->type_name("FILE")
      ->check(picture());
  std::string kind = "iteration";
  efficiency_command
      .add_option("--kind", kind,
                  "iteration: efficiency between an iteration's start and its end; interval: between the ends of the "
                  "iteration before and of this one, for runs whose iterations overlap; time: in a sliding window")
      ->capture_default_str()
      ->type_name("iteration|interval|time")
      ->check(among("iteration|interval|time"));
  efficiency_command.footer(
      "Examples:\n"
      "  ovlp plot efficiency run.csv -o run.png\n"
      "  ovlp plot efficiency --kind interval 4-nodes.csv 8-nodes.csv -o efficiency.svg\n"
      "  ovlp plot efficiency --kind time over-time.csv -o over-time.svg\n"
      "Format: docs/formats/efficiency.md");

  try {
    commands.parse(argc, argv);
  } catch (CLI::Success const& asked) {  // --help, --version
    return commands.exit(asked);
  } catch (CLI::ParseError const& wrong) {
    return refuse(commands, wrong);
  }
  if (transfers_command.parsed()) ovlp::tools::replay_transfers(transfers);
  if (efficiency_command.parsed()) {
    if (kind == "interval") plot.kind = ovlp::tools::efficiency_kind::interval;
    if (kind == "time") plot.kind = ovlp::tools::efficiency_kind::time;
    ovlp::tools::plot_efficiency(plot);
  }
  return 0;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp: %s\n", one_line(failed.what()).c_str());
  return 1;
}
