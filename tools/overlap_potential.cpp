// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap potential
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>
#include <ovlp/mpi/overlap_parameters_file.hpp>
#include <ovlp/mpi/overlap_parameters_of_trace.hpp>
#include <ovlp/mpi/potential_overlap.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include "mpi_trace.hpp"
#include "options.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"

namespace ovlp::tools {
namespace {

using base::fixed;

/// Codes, and the networks on which they are looked at: each latency with each bandwidth, both ascending.
struct potential_study {
  std::vector<mpi::code_parameters> codes;
  std::vector<double> latencies_s, bandwidths_Bps;
  double message_gap_s;

  /// In seconds, and bytes a second.
  mpi::overlap_network network(double latency_s, double bandwidth) const {
    return {latency_s, bandwidth, message_gap_s};
  }
  /// For figures that are given at one bandwidth: the highest.
  mpi::overlap_network fastest(double latency_s) const { return network(latency_s, bandwidths_Bps.back()); }
};

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

bool is_parameters(std::string const& input) { return std::filesystem::path(input).extension() == ".json"; }

mpi::code_parameters read_code(std::string const& input, std::optional<mpi::rank_id> rank) {
  if (is_parameters(input)) return mpi::read_overlap_parameters(input);
  mpi::trace const trace = read_mpi_trace("overlap potential", input);
  return mpi::overlap_parameters_of(trace, rank ? *rank : mpi::rank_that_sends_most(trace));
}

std::string in_us(double time_s) { return fixed(1e6 * time_s, 3); }

text_table messages_of(mpi::code_parameters const& code, potential_study const& study) {
  text_table table;
  std::vector<std::string> head{"message", "per iteration", "bytes", "independent [us]", "available [us]", "mean [us]"};
  for (double const latency_s : study.latencies_s) head.push_back("at " + short_number(1e6 * latency_s) + " us");
  table.add(head);
  for (mpi::message_parameters const& m : code.messages) {
    std::vector<std::string> row{m.name, short_number(m.per_iteration), fixed(m.sent_words * mpi::word_bytes, 0),
                                 in_us(mpi::independent_work_s(m))};
    if (m.model == mpi::spmd::concurrent) {
      mpi::time_available const available = mpi::time_available_for(m, m.transfer);
      row.insert(row.end(), {in_us(available.least_s), in_us(available.mean_s)});
    } else {
      row.insert(row.end(), {"pipelined", ""});
    }
    for (double const latency_s : study.latencies_s)
      row.push_back(fixed(mpi::normalized_overlap(m, study.fastest(latency_s)), 2));
    table.add(row);
  }
  return table;
}

text_table times_of(mpi::code_parameters const& code, potential_study const& study) {
  text_table table;
  table.add({"latency [us]", "without overlap", "with overlap", "messages", "collectives", "bandwidth needed [MB/s]"});
  for (double const latency_s : study.latencies_s) {
    mpi::overlap_network const on = study.fastest(latency_s);
    mpi::iteration_time const time = mpi::time_of_iteration(code, on);
    auto const required = mpi::required_bandwidth(code, on);
    auto const share = [&](double part_s) {  // of the time without overlap
      return fixed(100 * part_s / (time.computation_s * time.normalized()), 1) + " %";
    };
    table.add({short_number(1e6 * latency_s), fixed(time.normalized(), 3), fixed(time.normalized_overlapped(), 3),
               share(time.messages_s), share(time.collectives_s), required ? short_number(1e-6 * *required) : "none"});
  }
  return table;
}

/// For people: messages of each code, and its times over latency at the highest bandwidth.
std::string text_of(potential_study const& study) {
  std::ostringstream text;
  std::string const bandwidth = short_number(1e-6 * study.bandwidths_Bps.back()) + " MB/s";
  for (mpi::code_parameters const& code : study.codes) {
    text << (&code == &study.codes.front() ? "" : "\n") << code.name << ": " << in_us(code.computation_s)
         << " us of computation an iteration\n\n"
         << "Time to hide messages behind, and as a multiple of their delays at " << bandwidth << ":\n"
         << messages_of(code, study).text() << '\n'
         << "Time of an iteration at " << bandwidth << ", as a multiple of its computation, and of what it is without\n"
         << "overlap; and the bandwidth on which it is with overlap what it is here without:\n"
         << times_of(code, study).text();
  }
  return text.str();
}

/// A row for each code and network: docs/overlap-potential.md.
std::string csv_of(potential_study const& study) {
  base::csv_writer csv(
      "code,latency_s,bandwidth_Bps,normalized_overlap,computation_s,messages_s,exposed_s,collectives_s,"
      "normalized_time,normalized_time_overlapped,required_bandwidth_Bps",
      15);
  for (mpi::code_parameters const& code : study.codes) {
    std::string name = code.name;
    std::replace(name.begin(), name.end(), ',', ';');  // such files have no quotes
    for (double const latency_s : study.latencies_s) {
      for (double const bandwidth : study.bandwidths_Bps) {
        mpi::overlap_network const on = study.network(latency_s, bandwidth);
        mpi::iteration_time const time = mpi::time_of_iteration(code, on);
        csv.row(base::one_line(name), latency_s, bandwidth, mpi::normalized_overlap(code, on), time.computation_s,
                time.messages_s, time.exposed_s, time.collectives_s, time.normalized(), time.normalized_overlapped(),
                mpi::required_bandwidth(code, on));
      }
    }
  }
  return csv.text();
}

std::string latency_text(double latency_s) { return short_number(1e6 * latency_s) + " \u00b5s"; }

/// A line for each code and latency, over bandwidth.
template <class Value>
void add_lines(charts::chart& to, potential_study const& study, std::string const& name_end, bool dashed,
               Value const& value) {
  std::size_t look = 0;
  for (mpi::code_parameters const& code : study.codes) {
    for (double const latency_s : study.latencies_s) {
      std::string const latency = study.latencies_s.size() > 1 ? ", " + latency_text(latency_s) : "";
      charts::series line{.name = code.name + latency + name_end, .look = look++, .dashed = dashed};
      for (double const bandwidth : study.bandwidths_Bps) {
        std::optional<double> const y = value(code, study.network(latency_s, bandwidth));
        if (y && *y > 0)  // both axes are logarithmic
          line.points.push_back({1e-6 * bandwidth, *y});
      }
      to.all.push_back(std::move(line));
    }
  }
}

/// Figure 6, 8 or 9 of J. C. Sancho et al., SC 2006.
charts::chart chart_of(potential_study const& study, std::string const& what) {
  charts::chart drawn{.x = {.label = "bandwidth [MB/s]", .logarithm = 10}, .y = {.logarithm = 10}};
  if (study.latencies_s.size() == 1) drawn.facts = {{"latency", latency_text(study.latencies_s.front())}};
  using code = mpi::code_parameters;
  using network = mpi::overlap_network;
  if (what == "overlap") {
    drawn.title = "Potential overlap over delay of messages";
    drawn.y.label = "normalized overlap";
    add_lines(drawn, study, "", false, [](code const& of, network const& on) { return normalized_overlap(of, on); });
  } else if (what == "time") {
    drawn.title = "Time of an iteration over its computation";
    drawn.y.label = "normalized execution time";
    add_lines(drawn, study, ", overlap", false,
              [](code const& of, network const& on) { return time_of_iteration(of, on).normalized_overlapped(); });
    add_lines(drawn, study, ", none", true,
              [](code const& of, network const& on) { return time_of_iteration(of, on).normalized(); });
  } else {
    drawn.title = "Bandwidth that gives with overlap what " + short_number(1e-6 * study.bandwidths_Bps.back()) +
                  " MB/s give without";
    drawn.x = {.label = "latency [\u00b5s]", .logarithm = 2};
    drawn.y = {.label = "bandwidth [MB/s]", .with_zero = true};
    for (code const& of : study.codes) {
      charts::series& line = drawn.all.emplace_back(charts::series{.name = of.name, .look = drawn.all.size()});
      for (double const latency_s : study.latencies_s) {
        if (auto const required = mpi::required_bandwidth(of, study.fastest(latency_s)))
          line.points.push_back({1e6 * latency_s, 1e-6 * *required});
      }
    }
  }
  if (std::ranges::all_of(drawn.all, [](charts::series const& line) { return line.points.empty(); }))
    throw config_error("--picture: there is nothing to draw: no value is above 0");
  return drawn;
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
  if (!given.picture.empty()) charts::draw(chart_of(study, given.draw), given.picture);
  if (given.csv != "-") base::write_output("-", text_of(study));
}

}  // namespace

void add_overlap_potential(CLI::App& overlap) {
  auto const given = std::make_shared<potential_options>();
  CLI::App& potential = *overlap.add_subcommand(
      "potential", "How much computation codes have to hide their messages behind, and what that would bring");
  add_required(potential, "inputs", given->inputs, "TRACE|FILE", "traces, and parameters of codes (.json)");
  add_option(potential, "--rank", given->rank, "R",
             "of a trace, whose messages are looked at (the one that sends the most bytes)",
             whole_number(0, 1'000'000));
  add_option(potential, "-o,--output", given->output, "FILE", "the trace's parameters, to be edited (JSON)");
  add_numbers(potential, "--bandwidths", given->bandwidths_Bps, "B,...", "of networks, in bytes a second (1e6 to 5e9)");
  add_numbers(potential, "--latencies", given->latencies_s, "S,...", "of networks, in seconds (1e-6,2e-6,4e-6,8e-6)");
  add_option(potential, "--message-gap", given->message_gap_s, "S",
             "seconds between the starts of two small messages (1e-6)", quantity(0, 1e15));
  add_option(potential, "--csv", given->csv, "FILE", "a row for each code and network; - is standard output");
  add_option(potential, "--picture", given->picture, "FILE", "what --draw says (.svg, .png)");
  add_choice(potential, "--draw", given->draw, "overlap|time|bandwidth",
             "overlap or time over bandwidth, or the bandwidth needed over latency (time)");
  potential.footer(
      "Examples:\n"
      "  ovlp overlap potential mpi/potential/examples/pop.json\n"
      "  ovlp overlap potential app.mpitrace -o app.json\n"
      "  ovlp overlap potential mpi/potential/examples/*.json --latencies 4e-6 --picture time.svg\n"
      "Method: docs/overlap-potential.md; format: docs/formats/overlap-parameters.md");
  potential.callback([given] { show_potential(*given); });
}

}  // namespace ovlp::tools
