// SPDX-License-Identifier: BSD-3-Clause
// ovlp overlap study
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/gnuplot.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/mpi/overlap_study.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include "checks.hpp"
#include "mpi_trace.hpp"
#include "overlap_page.hpp"
#include "overlap_study_text.hpp"
#include "picture.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct overlap_study_options {
  std::string trace, page, csv, picture, traces, collectives;
  mpi::study_options study;
};

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
  mpi::trace const original = read_mpi_trace("ovlp overlap study", given.trace);
  given.study.collectives = mpi::collective_choice(given.collectives);
  base::progress progress("ovlp overlap study", mpi::replays_of(given.study), "replays at most");
  given.study.progress = [&](std::size_t done) { progress.advance(done); };
  mpi::overlap_study const found = mpi::study_overlap(original, given.study);
  if (!given.traces.empty()) write_traces(original, given);
  if (!given.csv.empty()) base::write_output(given.csv, csv_of(found));
  if (!given.picture.empty()) base::write_output(given.picture, base::run_gnuplot(speed_ups(found, given.picture)));
  if (!given.page.empty()) base::write_output(given.page, overlap_page(original, found, given.study));
  if (given.csv != "-") base::write_output("-", text_of(found));
}

}  // namespace

void add_overlap_study(CLI::App& overlap) {
  auto const given = std::make_shared<overlap_study_options>();
  CLI::App& study = *overlap.add_subcommand(
      "study", "What an MPI program would gain from messages that are cut into chunks, sent early and waited for late");
  study.add_option("trace", given->trace, "of ovlp trace, or of another tool (ovlp replay reads it)")
      ->required()
      ->type_name("TRACE");
  study.add_option("--platform", given->study.platform, "platform: gigabit and the like, or a file (JSON)")
      ->required()
      ->type_name("PLATFORM");
  study.add_option("--map", given->study.map, "nodes of the ranks, such as 'node0*2 node1' (blocks)")
      ->type_name("TEXT");
  study.add_option("--chunks", given->study.chunks, "of each message (4)")
      ->type_name("N")
      ->transform(whole_number(1, 1024));
  auto const add_numbers = [&](char const* name, std::vector<double>& to, char const* what, char const* type) {
    study.add_option(name, to, what)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name(type)
        ->check(quantity(1e-15, 1e15));
  };
  add_numbers("--bandwidths", given->study.bandwidths_Bps, "of networks beside the platform's, in bytes a second",
              "B,...");
  add_numbers("--latencies", given->study.latencies_s, "of networks beside the platform's, in seconds", "S,...");
  study
      .add_option("--eager-bytes", given->study.eager_bytes, "largest message that is sent before its receive (65536)")
      ->type_name("B")
      ->transform(whole_number(0, std::numeric_limits<std::size_t>::max()));
  study.add_option("--collectives", given->collectives, "algorithms, as ovlp replay takes them")->type_name("NAMES");
  study.add_option("-o,--output", given->page, "page for a browser, with pictures")->type_name("FILE.html");
  study.add_option("--picture", given->picture, "how much faster, over --bandwidths (.svg, .png)")->type_name("FILE");
  study.add_option("--traces", given->traces, "for the three traces that are replayed: original, measured, ideal")
      ->type_name("FOLDER");
  study.add_option("--csv", given->csv, "a row a network; - is standard output")->type_name("FILE");
  study.footer(
      "Examples:\n"
      "  ovlp overlap study cg.trace --platform gigabit\n"
      "  ovlp overlap study cg.trace --platform gigabit --bandwidths 1e7,3e7,1e8,3e8,1e9 --latencies 1e-6,1e-5 -o "
      "report.html\n"
      "Method: docs/overlap.md");
  study.callback([given] { run_overlap_study(*given); });
}

}  // namespace ovlp::tools
