// SPDX-License-Identifier: BSD-3-Clause
// The command `ovlp`.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <ovlp/flowgraph/version.hpp>
#include <ovlp/support/process.hpp>
#include <ovlp/support/text.hpp>

#include "subcommands.hpp"

namespace {

constexpr int usage_error = 2;

/// The command line was wrong. `lacks_program`: as this command may have one, and none was given.
int refuse(CLI::App const& commands, CLI::ParseError const& wrong, bool lacks_program) {
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
  if (lacks_program && dynamic_cast<CLI::ExtrasError const*>(&wrong) != nullptr)
    what += "; a program to run comes after --";
  std::size_t const end = what.find(": At Most 1 required");  // "but received 2", says CLI11
  if (end != std::string::npos) what = what.substr(0, end) + ": expected once, but given again";
  std::fprintf(stderr, "ovlp: %s; see %s --help\n", ovlp::support::one_line(what).c_str(), name.c_str());
  return usage_error;
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::tools::become_calibrate(argc, argv);
  std::vector<std::string> const program = ovlp::tools::take_program(argc, argv);
  CLI::App commands("Tools around runs of ovlp: calibration, validation, fits, network models by themselves, and plots",
                    "ovlp");
  commands.set_version_flag("--version", "ovlp " + std::string(ovlp::version()), "print the version");
  commands.require_subcommand(1);
  commands.footer(
      "Examples:\n"
      "  ovlp transfers --platform cluster.json transfers.csv -o ends.csv\n"
      "  lu_sim --nodes 8 --efficiency basic.csv ...\n"
      "  ovlp plot efficiency basic.csv pipelined.csv -o efficiency.svg");
  ovlp::tools::add_transfers(commands);
  ovlp::tools::add_sweep(commands);
  ovlp::tools::add_advise(commands, program);
  ovlp::tools::add_whatif(commands, program);
  ovlp::tools::add_trace(commands, program);
  ovlp::tools::add_threads(commands, program);
  ovlp::tools::add_plot(commands);
  ovlp::tools::add_platform(commands);
  ovlp::tools::add_export(commands);
  ovlp::tools::add_metrics(commands);
  ovlp::tools::add_overlap(commands, program);
  ovlp::tools::add_replay(commands);
  ovlp::tools::add_report(commands);
  ovlp::tools::add_fit(commands);
  ovlp::tools::add_calibrate(commands);
  ovlp::tools::add_validate(commands);
  ovlp::tools::add_nodes(commands);
  ovlp::tools::add_status(commands);
  try {
    commands.parse(argc, argv);
  } catch (CLI::Success const& asked) {  // --help, --version
    return commands.exit(asked);
  } catch (CLI::ParseError const& wrong) {
    return refuse(commands, wrong, ovlp::tools::takes_program(argc, argv) && program.empty());
  }
  return 0;
} catch (ovlp::support::interrupted const& by_user) {
  std::string const kept = by_user.kept.empty() ? "" : "; " + by_user.kept + " is kept";
  std::fprintf(stderr, "ovlp: interrupted%s\n", kept.c_str());
  return 130;
} catch (ovlp::tools::program_failed const& failed) {
  std::fprintf(stderr, "ovlp: %s\n", ovlp::support::one_line(failed.what()).c_str());
  return failed.status;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp: %s\n", ovlp::support::one_line(failed.what()).c_str());
  return 1;
}
