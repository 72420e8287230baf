// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap study
#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/mpi/overlap_study.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include "mpi_trace.hpp"
#include "options.hpp"
#include "overlap_figures.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"

namespace ovlp::tools {
namespace {

using base::fixed;

struct overlap_study_options {
  std::string trace, page, csv, picture, traces, collectives;
  mpi::study_options study;
};

std::string speed_up(double original_s, double overlapped_s) {
  return fixed(100 * (original_s / overlapped_s - 1), 1) + " %";
}

std::string in_megabytes(std::optional<double> bandwidth, char const* without) {
  return bandwidth ? short_number(1e-6 * *bandwidth) : without;
}

std::string times_of(mpi::overlap_study const& study) {
  text_table table;
  table.add({"", "original", "measured pattern", "ideal pattern"});
  mpi::overlap_point const& base = study.base;
  table.add({"time [s]", fixed(base.original_s, 6), fixed(base.measured_s, 6), fixed(base.ideal_s, 6)});
  table.add({"faster by", "", speed_up(base.original_s, base.measured_s), speed_up(base.original_s, base.ideal_s)});
  table.add({"bandwidth for the original's time [MB/s]", short_number(1e-6 * base.bandwidth_Bps),
             in_megabytes(study.measured.relaxed_Bps, "none"), in_megabytes(study.ideal.relaxed_Bps, "none")});
  table.add({"bandwidth that the original would need [MB/s]", "",
             in_megabytes(study.measured.equivalent_Bps, "none is enough"),
             in_megabytes(study.ideal.equivalent_Bps, "none is enough")});
  for (auto const& one : study.ablations) {
    table.add({"faster without " + one.without + " by", "", speed_up(base.original_s, one.measured_s),
               speed_up(base.original_s, one.ideal_s)});
  }
  return table.text();
}

/// All messages, and those of each size, the largest first.
std::string patterns_of(mpi::overlap_study const& study) {
  constexpr std::size_t most_sizes = 8;
  auto const percent = [](double share) { return fixed(100 * share, 3); };
  auto const each_row = [&](auto const& add) {
    add("all", study.patterns);
    std::size_t left = study.patterns_by_bytes.size() > 1 ? most_sizes : 0;
    for (auto of = study.patterns_by_bytes.rbegin(); of != study.patterns_by_bytes.rend() && left > 0; ++of, --left)
      add(std::to_string(of->first) + " bytes", of->second);
  };
  text_table table;
  if (study.patterns.produced) {
    table.add({"produced of a message [% of the interval]", "sends", "first", "quarter", "half", "whole"});
    each_row([&](std::string const& name, mpi::access_patterns const& of) {
      if (!of.produced) return;
      auto const& p = *of.produced;
      table.add(
          {name, std::to_string(of.sends), percent(p.first), percent(p.quarter), percent(p.half), percent(p.whole)});
    });
  }
  if (study.patterns.consumed) {
    table.add({"passed with so much of a message [% of the interval]", "receives", "nothing", "quarter", "half"});
    each_row([&](std::string const& name, mpi::access_patterns const& of) {
      if (!of.consumed) return;
      auto const& c = *of.consumed;
      table.add({name, std::to_string(of.receives), percent(c.nothing), percent(c.quarter), percent(c.half)});
    });
  }
  std::string const text = table.text();
  return text.empty() ? "The trace says nothing of how messages are produced and consumed.\n" : text;
}

std::string networks_of(mpi::overlap_study const& study) {
  text_table table;
  table.add(
      {"latency [us]", "bandwidth [MB/s]", "original [s]", "measured [s]", "faster by", "ideal [s]", "faster by"});
  for (mpi::overlap_point const& at : study.points) {
    table.add({short_number(1e6 * at.latency_s), short_number(1e-6 * at.bandwidth_Bps), fixed(at.original_s, 6),
               fixed(at.measured_s, 6), speed_up(at.original_s, at.measured_s), fixed(at.ideal_s, 6),
               speed_up(at.original_s, at.ideal_s)});
  }
  return table.text();
}

std::string text_of(mpi::overlap_study const& study) {
  std::string text = times_of(study) + "\n" + patterns_of(study);
  if (!study.points.empty()) text += "\n" + networks_of(study);
  return text;
}

/// A row for each network: docs/overlap.md.
std::string csv_of(mpi::overlap_study const& study) {
  base::csv_writer csv("latency_s,bandwidth_Bps,original_s,measured_s,ideal_s", 9);
  auto const row = [&](mpi::overlap_point const& at) {
    csv.row(at.latency_s, at.bandwidth_Bps, at.original_s, at.measured_s, at.ideal_s);
  };
  row(study.base);
  for (mpi::overlap_point const& at : study.points) row(at);
  return csv.text();
}

/// The three traces that are compared.
void write_traces(mpi::trace const& original, overlap_study_options const& given) {
  using enum mpi::overlap_options::pattern;
  std::filesystem::path const folder = given.traces;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw io_error("--traces " + given.traces + ": cannot be made: " + failed.message());
  mpi::write_trace(original, folder / "original.mpitrace");
  mpi::write_trace(mpi::overlapped(original, mpi::overlap_of(given.study, measured)), folder / "measured.mpitrace");
  mpi::write_trace(mpi::overlapped(original, mpi::overlap_of(given.study, ideal)), folder / "ideal.mpitrace");
}

void run_overlap_study(overlap_study_options given) {
  expect_picture(given.picture);
  if (!given.picture.empty() && given.study.bandwidths_Bps.empty())
    throw config_error("--picture: expected with --bandwidths, over which it is drawn");
  base::expect_outputs({{given.page, "<!DOCTYPE html>"},
                        {given.csv, "latency_s,"},
                        {given.picture, base::picture_begins(given.picture)}});
  base::notice_interrupts();
  mpi::trace const original = read_mpi_trace("overlap study", given.trace);
  given.study.collectives = mpi::collective_choice(given.collectives);
  base::progress progress("ovlp overlap study", mpi::replays_of(given.study), "replays at most");
  given.study.progress = [&](std::size_t done) { progress.advance(done); };
  mpi::overlap_study const found = mpi::study_overlap(original, given.study);
  if (!given.traces.empty()) write_traces(original, given);
  if (!given.csv.empty()) base::write_output(given.csv, csv_of(found));
  if (!given.picture.empty()) charts::draw(speed_ups(found), given.picture);
  std::string const text = text_of(found);
  if (!given.page.empty())
    base::write_output(given.page,
                       html_page("Overlap of " + original.name + ", " + std::to_string(original.ranks.size()) +
                                     " ranks, on " + given.study.platform,
                                 text, overlap_figures(original, found, given.study)));
  if (given.csv != "-") base::write_output("-", text);
}

}  // namespace

void add_overlap_study(CLI::App& overlap) {
  auto const given = std::make_shared<overlap_study_options>();
  CLI::App& study = *overlap.add_subcommand(
      "study", "What an MPI program would gain from messages that are cut into chunks, sent early and waited for late");
  add_required(study, "trace", given->trace, "TRACE", "of ovlp trace, or of another tool (ovlp replay reads it)");
  add_required(study, "--platform", given->study.platform, "PLATFORM",
               "platform: gigabit and the like, or a file (JSON)");
  add_option(study, "--map", given->study.map, "TEXT", "nodes of the ranks, such as 'node0*2 node1' (blocks)");
  add_option(study, "--chunks", given->study.chunks, "N", "of each message (4)", whole_number(1, 1024));
  add_numbers(study, "--bandwidths", given->study.bandwidths_Bps, "B,...",
              "of networks beside the platform's, in bytes a second");
  add_numbers(study, "--latencies", given->study.latencies_s, "S,...", "of networks beside the platform's, in seconds");
  add_option(study, "--eager-bytes", given->study.eager_bytes, "B",
             "largest message that is sent before its receive (65536)",
             whole_number(0, std::numeric_limits<std::size_t>::max()));
  add_option(study, "--collectives", given->collectives, "NAMES", "algorithms, as ovlp replay takes them");
  add_option(study, "-o,--output", given->page, "FILE.html", "page for a browser, with pictures");
  add_option(study, "--picture", given->picture, "FILE", "how much faster, over --bandwidths (.svg, .png)");
  add_option(study, "--traces", given->traces, "FOLDER",
             "for the three traces that are replayed: original, measured, ideal");
  add_option(study, "--csv", given->csv, "FILE", "a row a network; - is standard output");
  study.footer(
      "Examples:\n"
      "  ovlp overlap study cg.trace --platform gigabit\n"
      "  ovlp overlap study cg.trace --platform gigabit --bandwidths 1e7,3e7,1e8,3e8,1e9 --latencies 1e-6,1e-5 -o "
      "report.html\n"
      "Method: docs/overlap.md");
  study.callback([given] { run_overlap_study(*given); });
}

}  // namespace ovlp::tools
