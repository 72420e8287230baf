// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/base/version.hpp>

#include "command.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
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
    std::vector<std::string> names;
    for (CLI::App const* command : known) names.push_back(command->get_name());
    what = "expected a command of " + base::joined(names) +
           (rest.empty() ? ", got none" : ", got '" + rest.front() + "'" + base::hint(rest.front(), names));
  } else if (!commands.remaining(true).empty()) {  // more than was expected, or the misspelt one that is missed
    std::vector<std::string> options;
    for (CLI::Option const* option : at->get_options()) {
      for (std::string const& long_name : option->get_lnames()) options.push_back("--" + long_name);
    }
    what = base::unexpected(commands.remaining(true), options);
    if (lacks_program) what += "; a program to run comes after --";
  }
  std::fprintf(stderr, "ovlp: %s; see %s --help\n", base::one_line(base::as_given_again(what)).c_str(), name.c_str());
  return usage_error;
}

/// Of each option that takes a name: a file, a run, a platform. An empty one is a variable of a script that is not set.
void expect_names(CLI::App& commands) {
  for (CLI::Option* const option : commands.get_options()) {
    if (option->get_type_size() == 0) continue;  // a flag
    option->check([](std::string const& given) { return given.empty() ? "expected a value, got ''" : std::string(); });
  }
  for (CLI::App* const command : commands.get_subcommands([](CLI::App const*) { return true; })) expect_names(*command);
}

/// Whether a command line is of a subcommand that runs a program.
bool takes_program(int argc, char** argv) {
  constexpr std::array<std::string_view, 5> take_one{"advise", "explore", "metrics", "trace", "whatif"};
  bool const takes_one = argc > 1 && std::find(take_one.begin(), take_one.end(), argv[1]) != take_one.end();
  bool const is_graph = argc > 2 && argv[1] == std::string_view("overlap") && argv[2] == std::string_view("graph");
  bool const is_threads = argc > 1 && argv[1] == std::string_view("threads");
  return takes_one || is_graph || is_threads;
}

/// From such a command line -- goes with all that follows, and that, the program, is given back.
std::vector<std::string> take_program(int& argc, char** argv) {
  if (!takes_program(argc, argv)) return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  argc = static_cast<int>(dashes - argv);
  return dashes == end ? std::vector<std::string>() : std::vector<std::string>(dashes + 1, end);
}

}  // namespace

void say(std::string const& command, std::string const& text) {
  std::fprintf(stderr, "ovlp %s: %s\n", command.c_str(), text.c_str());
}

void warn_if_measured(std::vector<std::string> const& program, std::string const& command) {
  if (std::find(program.begin(), program.end(), "partial") != program.end()) return;
  say(command,
      "without --execution partial each run measures its kernels anew: runs differ by that, too, by how much is not "
      "known");
}

int run_command(int argc, char** argv, add_subcommands const& add) try {
  base::use_classic_locale();
  std::vector<std::string> const program = take_program(argc, argv);
  CLI::App commands("Tools around runs of ovlp: calibration, validation, fits, network models by themselves, and plots",
                    "ovlp");
  commands.set_version_flag("--version", "ovlp " + std::string(version()), "print the version");
  commands.require_subcommand(1);
  commands.footer(
      "Examples:\n"
      "  ovlp transfers --platform cluster.json transfers.csv -o ends.csv\n"
      "  lu_sim --nodes 8 --efficiency basic.csv ...\n"
      "  ovlp plot efficiency basic.csv pipelined.csv -o efficiency.svg");
  add(commands, program);
  expect_names(commands);
  try {
    commands.parse(argc, argv);
  } catch (CLI::Success const& asked) {  // --help, --version
    return commands.exit(asked);
  } catch (CLI::ParseError const& wrong) {
    return refuse(commands, wrong, takes_program(argc, argv) && program.empty());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw io_error("standard output: cannot be written");
  return 0;
} catch (base::interrupted const& by_user) {
  std::string const kept = by_user.kept.empty() ? "" : "; " + by_user.kept + " is kept";
  std::fprintf(stderr, "ovlp: interrupted%s\n", kept.c_str());
  return 130;
} catch (program_failed const& failed) {
  std::fprintf(stderr, "ovlp: %s\n", base::one_line(failed.what()).c_str());
  return failed.status;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp: %s\n", base::one_line(failed.what()).c_str());
  return 1;
}

}  // namespace ovlp::tools
