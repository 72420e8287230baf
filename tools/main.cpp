// SPDX-License-Identifier: BSD-3-Clause
// The command `ovlp`.
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/flowgraph/version.hpp>

#include "command.hpp"
#include "fit.hpp"
#include "output.hpp"
#include "plot.hpp"
#include "transfers.hpp"
#include "validate/campaign.hpp"
#include "validate/comparison.hpp"
#include "validate/program.hpp"
#include "validate/report.hpp"

namespace {

constexpr int usage_error = 2;

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

/// To transform by: 010 is ten.
CLI::Validator whole_number(std::size_t least, std::size_t most) {
  auto const check = [least, most](std::string& given) {
    std::size_t value = 0;
    auto const read = std::from_chars(given.data(), given.data() + given.size(), value);
    bool const whole = read.ec == std::errc{} && read.ptr == given.data() + given.size();
    if (whole && value >= least && value <= most) {
      given = std::to_string(value);
      return std::string();
    }
    return "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", got '" + given +
           "'";
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

/// Commands that are programs of their own, beside this one: every process of a real run is one.
void become_program_of(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "calibrate") return;
  std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe");
  std::string const program = (self.parent_path() / "ovlp-calibrate").string();
  ::execv(program.c_str(), argv + 1);
  throw ovlp::io_error(program + ": cannot be started: " + std::strerror(errno));
}

struct validate_options {
  std::string grid;
  ovlp::tools::validate::places where{"", "build/release", "testbed", ""};
  bool report_only = false;
};

void validate(validate_options const& options) {
  namespace validate = ovlp::tools::validate;
  validate::grid const grid = validate::grid::read(options.grid);
  validate::check_programs(grid, options.where);
  std::error_code error;
  if (!options.report_only) std::filesystem::create_directories(options.where.output, error);
  if (error) throw ovlp::io_error("'" + options.where.output + "' cannot be made: " + error.message());
  if (!std::filesystem::is_directory(options.where.output)) {
    throw ovlp::io_error("--output: expected a folder of measurements, got '" + options.where.output + "'");
  }
  std::optional<validate::measurements> earlier;  // whose durations are used
  if (options.where.has_earlier_durations()) earlier.emplace(options.where.calibrated);
  if (!options.report_only) {
    ovlp::tools::notice_interrupts();
    validate::measurements all(options.where.output);
    validate::measure(grid, options.where, all);
  }
  // Read anew: a later --report must find the same numbers, to the last digit.
  validate::measurements const measured(options.where.output);
  validate::results const found = validate::compare(grid, options.where, measured, earlier ? *earlier : measured);
  ovlp::tools::write_output("-", validate::write_report(grid, found, options.where.output));
  if (found.times.empty()) {
    throw ovlp::io_error("nothing could be compared: " +
                         (found.failures.empty() ? "the grid is empty" : found.failures.front()));
  }
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
  become_program_of(argc, argv);
  CLI::App commands("Tools around runs of ovlp: calibration, validation, fits, network models by themselves, and plots",
                    "ovlp");
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
      ->transform(whole_number(1, 1'000'000));
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
  std::string kind;
  efficiency_command
      .add_option(
          "--kind", kind,
          "iteration: efficiency between an iteration's start and its end; interval: between the ends of the "
          "iteration before and of this one; time: in a sliding window. Without it by interval if the iterations of a "
          "run overlap, else by iteration")
      ->type_name("iteration|interval|time")
      ->check(among("iteration|interval|time"));
  efficiency_command.footer(
      "Examples:\n"
      "  ovlp plot efficiency run.csv -o run.png\n"
      "  ovlp plot efficiency --kind interval 4-nodes.csv 8-nodes.csv -o efficiency.svg\n"
      "  ovlp plot efficiency --kind time over-time.csv -o over-time.svg\n"
      "Format: docs/formats/efficiency.md");

  ovlp::tools::fit_options fit;
  CLI::App& fit_command = *commands.add_subcommand(
      "fit", "Fit models over sizes to durations of kernels, for sizes that have not been measured");
  fit_command.add_option("inputs", fit.inputs, "durations of kernels, as --record-durations writes them")
      ->required()
      ->type_name("FILE");
  fit_command
      .add_option("--platform", fit.platform, "platform that gets these models: gigabit and the like, or a file")
      ->type_name("PLATFORM");
  fit_command.add_option("-o,--output", fit.output, "platform file to write, or file of the models alone (JSON)")
      ->required()
      ->type_name("FILE");
  fit_command.footer(
      "Examples:\n"
      "  lu_real --block 128 --record-durations 128.json; lu_real --block 256 --record-durations 256.json\n"
      "  ovlp fit 128.json 256.json --platform cluster.json -o cluster-lu.json\n"
      "  lu_sim --block 192 --execution partial --platform cluster-lu.json\n"
      "Formats: docs/formats/durations.md, docs/formats/platform.md");

  commands.add_subcommand("calibrate", "Measure a platform, with the real runtime between real nodes, and describe it");

  validate_options check;
  CLI::App& validate_command = *commands.add_subcommand(
      "validate", "Run a grid of configurations for real and in simulation, and compare; goes on where it stopped");
  validate_command.add_option("grid", check.grid, "what is to be run (JSON)")->required()->type_name("GRID");
  validate_command.add_option("-o,--output", check.where.output, "folder of measurements and report")
      ->required()
      ->type_name("FOLDER");
  validate_command.add_option("--build", check.where.build, "where the grid's programs are")
      ->capture_default_str()
      ->type_name("FOLDER");
  validate_command.add_option("--testbeds", check.where.testbeds, "where the scripts up, down and run are")
      ->capture_default_str()
      ->type_name("FOLDER");
  CLI::Option& calibrated =
      *validate_command
           .add_option("--calibrated", check.where.calibrated,
                       "folder of an earlier validation, by whose platforms and durations is predicted")
           ->check(CLI::ExistingDirectory)
           ->type_name("FOLDER");
  validate_command
      .add_flag("--record-durations", check.where.record_durations,
                "with --calibrated: take its platforms, and record durations of kernels again")
      ->needs(&calibrated);
  validate_command.add_flag("--report", check.report_only, "measure nothing; predict and compare what is there");
  validate_command.footer(
      "Examples:\n"
      "  ovlp validate validation/grid.json -o validation/results\n"
      "  ovlp validate validation/grid.json -o validation/results --report\n"
      "  ovlp validate validation/another-day.json -o today --calibrated validation/results\n"
      "Formats: docs/formats/grid.md, docs/formats/measurements.md");

  try {
    commands.parse(argc, argv);
  } catch (CLI::Success const& asked) {  // --help, --version
    return commands.exit(asked);
  } catch (CLI::ParseError const& wrong) {
    return refuse(commands, wrong);
  }
  if (transfers_command.parsed()) ovlp::tools::replay_transfers(transfers);
  if (fit_command.parsed()) {
    std::string const table = ovlp::tools::fit_kernels(fit);
    if (fit.output == "-") {
      std::fputs(table.c_str(), stderr);
    } else {
      ovlp::tools::write_output("-", table);
    }
  }
  if (validate_command.parsed()) validate(check);
  if (efficiency_command.parsed()) {
    using ovlp::tools::efficiency_kind;
    if (kind == "iteration") plot.kind = efficiency_kind::iteration;
    if (kind == "interval") plot.kind = efficiency_kind::interval;
    if (kind == "time") plot.kind = efficiency_kind::time;
    if (ovlp::tools::plot_efficiency(plot) == efficiency_kind::interval && !plot.kind) {
      std::fputs("ovlp: note: iterations overlap, so intervals are drawn; --kind iteration draws each for itself\n",
                 stderr);
    }
  }
  return 0;
} catch (ovlp::tools::interrupted const&) {
  std::fprintf(stderr, "ovlp: interrupted; what has been measured is kept\n");
  return 130;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp: %s\n", one_line(failed.what()).c_str());
  return 1;
}
