// SPDX-License-Identifier: BSD-3-Clause
// ovlp export
#include <cstdio>
#include <memory>
#include <string>

#include <ovlp/store/exports.hpp>
#include <ovlp/store/stored_run.hpp>
#include <ovlp/support/process.hpp>
#include <ovlp/support/progress.hpp>

#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct export_options {
  std::string run, to, output;
};

void export_run(export_options const& options) try {
  stored_run const run(options.run);
  std::unique_ptr<record_sink> const into = make_csv_export(options.output);
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
  CLI::App& command = *ovlp.add_subcommand("export", "Write what a run has stored (--record) for other tools");
  command.add_option("run", options->run, "the record")->required()->type_name("RUN");
  command.add_option("--to", options->to, "csv: a folder with a table of each kind of record")
      ->required()
      ->check(CLI::IsMember({"csv"}));
  command.add_option("-o,--output", options->output, "folder to write")->required()->type_name("FOLDER");
  command.footer(
      "Examples:\n"
      "  lu_sim --nodes 8 --record lu.sqlite && ovlp export lu.sqlite --to csv -o lu\n"
      "Format: docs/formats/record.md");
  command.callback([options] { export_run(*options); });
}

}  // namespace ovlp::tools
