// SPDX-License-Identifier: BSD-3-Clause
// ovlp export
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/exports/export_formats.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/mpi/trace_file.hpp>
#include <ovlp/store/open_run.hpp>
#include <ovlp/support/process.hpp>
#include <ovlp/support/progress.hpp>

#include "checks.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct export_options {
  std::string run, to, output;
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
  mpi::write_trace(mpi::read_trace(options.run), options.output);
}

void export_run(export_options const& options) try {
  expect_another_file(options.output, options.run);
  if (auto const to = std::ranges::find(trace_formats, options.to, &trace_format::name); to != trace_formats.end())
    return export_trace(options, *to);
  std::unique_ptr<stored_run> const opened = open_run(options.run);
  stored_run const& run = *opened;
  run.expect_records();
  auto const format = std::ranges::find(export_formats(), options.to, &export_format::name);
  std::unique_ptr<record_sink> const into = format->make(options.output);
  support::notice_interrupts();
  support::progress progress("ovlp export", run.records(), "records");
  std::string const damage = run.read(*into, [&](std::size_t records) { progress.advance(records); });
  if (!damage.empty()) {
    std::fprintf(stderr, "ovlp export: %s; what is missing is missing in what was written\n", damage.c_str());
  } else if (!run.complete()) {
    std::fprintf(stderr, "ovlp export: '%s': the run has not ended; this is what it did so far\n", options.run.c_str());
  }
} catch (support::interrupted const&) {
  throw support::interrupted{"what '" + options.output + "' has so far"};
}

}  // namespace

void add_export(CLI::App& ovlp) {
  auto const options = std::make_shared<export_options>();
  CLI::App& command = *ovlp.add_subcommand(
      "export", "Write what a run has stored (--record), or the trace of an MPI program, for other tools");
  command.add_option("run", options->run, "the record, or the trace")->required()->type_name("RUN");
  std::vector<std::string> names;
  std::string what;
  auto const add = [&](auto const& format) {
    names.emplace_back(format.name);
    what += (what.empty() ? "" : "; ") + names.back() + ": " + std::string(format.writes);
  };
  std::ranges::for_each(export_formats(), add);
  std::ranges::for_each(trace_formats, add);
  command.add_option("--to", options->to, what)->required()->check(CLI::IsMember(names));
  command.add_option("-o,--output", options->output, "what to write")->required()->type_name("OUT");
  command.footer(
      "Examples:\n"
      "  lu_sim --nodes 8 --record lu.sqlite && ovlp export lu.sqlite --to csv -o lu\n"
      "  ovlp export lu.sqlite --to perfetto -o lu.pftrace\n"
      "  ovlp export cg.mpitrace --to dimemas -o cg.dim\n"
      "Formats: docs/formats/exports.md, docs/formats/mpi-trace.md");
  command.callback([options] { export_run(*options); });
}

}  // namespace ovlp::tools
