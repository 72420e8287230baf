// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap potential
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/mpi/overlap_parameters_file.hpp>
#include <ovlp/mpi/overlap_parameters_of_trace.hpp>
#include <ovlp/mpi/potential_overlap.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include "checks.hpp"
#include "mpi_trace.hpp"
#include "picture.hpp"
#include "potential_plot.hpp"
#include "potential_tables.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct potential_options {
  std::vector<std::string> inputs;
  // The paper's ranges.
  std::vector<double> bandwidths_Bps{1e6, 2e6, 5e6, 10e6, 20e6, 50e6, 100e6, 200e6, 500e6, 1e9, 2e9, 5e9};
  std::vector<double> latencies_s{1e-6, 2e-6, 4e-6, 8e-6};
  double message_gap_s = 1e-6;
  std::optional<mpi::rank_id> rank;
  std::string output, csv, picture, draw = "time";
};

std::vector<double> ascending(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

potential_figure figure_named(std::string const& name) {
  return name == "overlap" ? potential_figure::overlap
         : name == "time"  ? potential_figure::time
                           : potential_figure::bandwidth;
}

bool is_parameters(std::string const& input) { return std::filesystem::path(input).extension() == ".json"; }

mpi::code_parameters read_code(std::string const& input, std::optional<mpi::rank_id> rank) {
  if (is_parameters(input)) return mpi::read_overlap_parameters(input);
  mpi::trace const trace = read_mpi_trace("ovlp overlap potential", input);
  return mpi::overlap_parameters_of(trace, rank ? *rank : mpi::rank_that_sends_most(trace));
}

void show_potential(potential_options const& given) {
  expect_picture(given.picture);
  potential_study study{{}, ascending(given.latencies_s), ascending(given.bandwidths_Bps), given.message_gap_s};
  bool const of_traces = std::none_of(given.inputs.begin(), given.inputs.end(), is_parameters);
  if (given.rank && !of_traces) throw config_error("--rank: expected traces only; files of parameters have no ranks");
  if (!given.output.empty() && (!of_traces || given.inputs.size() > 1))
    throw config_error("--output: expected one trace, whose parameters are to be written");
  if (!given.output.empty() && !is_parameters(given.output))
    throw config_error("--output: expected a name that ends in .json, got '" + given.output + "'");
  for (std::string const& input : given.inputs) study.codes.push_back(read_code(input, given.rank));
  if (!given.output.empty()) {
    std::string const source = std::filesystem::path(given.inputs.front()).filename();
    base::write_output(given.output, mpi::overlap_parameters_file_of(study.codes.front(), source));
  }
  if (!given.csv.empty()) base::write_output(given.csv, csv_of(study));
  if (!given.picture.empty()) plot_potential(study, figure_named(given.draw), given.picture);
  if (given.csv != "-") base::write_output("-", text_of(study));
}

}  // namespace

void add_overlap_potential(CLI::App& overlap) {
  auto const given = std::make_shared<potential_options>();
  CLI::App& potential = *overlap.add_subcommand(
      "potential", "How much computation codes have to hide their messages behind, and what that would bring");
  potential.add_option("inputs", given->inputs, "traces, and parameters of codes (.json)")
      ->required()
      ->type_name("TRACE|FILE");
  potential
      .add_option("--rank", given->rank, "of a trace, whose messages are looked at (the one that sends the most bytes)")
      ->type_name("R")
      ->transform(whole_number(0, 1'000'000));
  potential.add_option("-o,--output", given->output, "the trace's parameters, to be edited (JSON)")->type_name("FILE");
  potential.add_option("--bandwidths", given->bandwidths_Bps, "of networks, in bytes a second (1e6 to 5e9)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("B,...")
      ->check(quantity(1e-15, 1e15));
  potential.add_option("--latencies", given->latencies_s, "of networks, in seconds (1e-6,2e-6,4e-6,8e-6)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("S,...")
      ->check(quantity(1e-15, 1e15));
  potential
      .add_option("--message-gap", given->message_gap_s, "seconds between the starts of two small messages (1e-6)")
      ->type_name("S")
      ->check(quantity(0, 1e15));
  potential.add_option("--csv", given->csv, "a row for each code and network; - is standard output")->type_name("FILE");
  potential.add_option("--picture", given->picture, "what --draw says (.svg, .png)")->type_name("FILE");
  potential
      .add_option("--draw", given->draw, "overlap or time over bandwidth, or the bandwidth needed over latency (time)")
      ->type_name("overlap|time|bandwidth")
      ->check(among("overlap|time|bandwidth"));
  potential.footer(
      "Examples:\n"
      "  ovlp overlap potential mpi/potential/examples/pop.json\n"
      "  ovlp overlap potential app.mpitrace -o app.json\n"
      "  ovlp overlap potential mpi/potential/examples/*.json --latencies 4e-6 --picture time.svg\n"
      "Method: docs/overlap-potential.md; format: docs/formats/overlap-parameters.md");
  potential.callback([given] { show_potential(*given); });
}

}  // namespace ovlp::tools
