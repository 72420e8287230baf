// SPDX-License-Identifier: BSD-3-Clause
// ovlp export
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/exports/export_formats.hpp>
#include <ovlp/exports/window.hpp>
#include <ovlp/mpi/trace_file.hpp>
#include <ovlp/store/open_run.hpp>

#include "mpi_trace.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct export_options {
  std::string run, to, output;
  std::optional<double> from_s, until_s;  ///< since the run's begin
};

/// Of traces of MPI programs.
struct trace_format {
  std::string_view name, extension, writes;
};
constexpr std::array trace_formats{
    trace_format{"dimemas", ".dim", "of the trace of an MPI program: a trace of Dimemas"},
    trace_format{"mpitrace", ".mpitrace", "of one in another format: one in ovlp's own"},
};

void export_trace(export_options const& options, trace_format const& to) {
  if (std::filesystem::path(options.output).extension() != to.extension)
    throw config_error("--output: expected a name that ends in " + std::string(to.extension) + ", got '" +
                       options.output + "'");
  mpi::write_trace(read_mpi_trace("export", options.run), options.output);
}

void export_run(export_options const& options) try {
  expect_another_file(options.output, options.run);
  if (options.from_s.value_or(0) > options.until_s.value_or(std::numeric_limits<double>::infinity()))
    throw config_error("--until: expected a time that is not before --from");
  if (auto const to = std::ranges::find(trace_formats, options.to, &trace_format::name); to != trace_formats.end()) {
    if (options.from_s || options.until_s)
      throw config_error("--from, --until: expected with records of runs; a trace is replayed whole");
    return export_trace(options, *to);
  }
  std::unique_ptr<stored_run> const opened = open_run(options.run);
  stored_run const& run = *opened;
  run.expect_records();
  if (auto const left_out = run.about().find("left_out"); left_out != run.about().end())
    say("export", "'" + options.run + "' does not have: " + left_out->second);
  auto const format = std::ranges::find(export_formats(), options.to, &export_format::name);
  if (std::string const reservation = run.reservation(); !reservation.empty())
    say("export", "'" + options.run + "': " + reservation);
  std::unique_ptr<record_sink> const into =
      format->make(options.output, run.reservation(), [](std::string const& text) { say("export", text); });
  window part(*into, run.begin_s() + options.from_s.value_or(0),
              run.begin_s() + options.until_s.value_or(std::numeric_limits<double>::infinity()));
  bool const all = !options.from_s && !options.until_s;
  base::notice_interrupts();
  base::progress progress("ovlp export", run.records(), "records");
  std::string const damage = run.read(all ? *into : part, [&](std::size_t records) { progress.advance(records); });
  if (!damage.empty()) say("export", damage + "; what is missing is missing in what was written");
} catch (base::interrupted const&) {
  throw base::interrupted{"what '" + options.output + "' has so far"};
}

}  // namespace

void add_export(CLI::App& ovlp) {
  auto const options = std::make_shared<export_options>();
  CLI::App& command = add_part(ovlp, "export");
  add_required(command, "run", options->run, "RUN", "the record, or the trace");
  std::vector<std::string> names;
  std::string what;
  auto const add = [&](auto const& format) {
    names.emplace_back(format.name);
    what += (what.empty() ? "" : "; ") + names.back() + ": " + std::string(format.writes);
  };
  std::ranges::for_each(export_formats(), add);
  std::ranges::for_each(trace_formats, add);
  command.add_option("--to", options->to, what)->required()->check(CLI::IsMember(names));
  add_required(command, "-o,--output", options->output, "OUT", "what to write");
  auto const time = [&](char const* name, std::optional<double>& to, char const* which) {
    add_option(command, name, to, "S", which, quantity(0, 1e15));
  };
  time("--from", options->from_s, "leave out what ends before, in seconds since the run's begin");
  time("--until", options->until_s, "leave out what begins later");
  command.footer(
      "Examples:\n"
      "  lu_sim --nodes 8 --record lu.sqlite && ovlp export lu.sqlite --to csv -o lu\n"
      "  ovlp export lu.sqlite --to perfetto -o lu.pftrace\n"
      "  ovlp export cg.mpitrace --to dimemas -o cg.dim\n"
      "Formats: docs/formats/exports.md, docs/formats/mpi-trace.md");
  command.callback([options] { export_run(*options); });
}

}  // namespace ovlp::tools
