// SPDX-License-Identifier: BSD-3-Clause
// ovlp sweep
#include <memory>
#include <string>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>

#include "options.hpp"
#include "study/sweep.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

void run_sweep(lab::study::sweep_options const& options) {
  base::notice_interrupts();
  lab::study::sweep_result const done = lab::study::sweep(options);
  if (done.failed == done.runs) throw io_error("no run went well; the first: " + done.first_failure);
  std::string text = std::to_string(done.runs) + " runs in '" + options.output + "'";
  if (done.failed > 0)
    text += ", of which " + std::to_string(done.failed) + " failed; the first: " + done.first_failure;
  base::write_output("-", text + "\n" + done.fastest);
}

}  // namespace

void add_sweep(CLI::App& ovlp) {
  auto const options = std::make_shared<lab::study::sweep_options>();
  CLI::App& sweep = *ovlp.add_subcommand(
      "sweep", "Simulate a program with all combinations of options, on all cores; goes on where it stopped");
  add_required(sweep, "sweep", options->plan, "SWEEP", "what is to be run (JSON)");
  add_required(sweep, "-o,--output", options->output, "FILE", "file of SQLite, a row a run");
  add_jobs(sweep, options->jobs);
  add_option(sweep, "--choose", options->choose, "OPTIONS",
             "options that can be chosen, with commas between: for each combination of the others print the fastest "
             "choice and those that may be as fast")
      ->delimiter(',')
      ->allow_extra_args(false);
  sweep.footer(
      "Examples:\n"
      "  ovlp sweep lu.json -o runs.sqlite\n"
      "  ovlp sweep lu.json -o runs.sqlite --choose block,graph\n"
      "  ovlp plot columns runs.sqlite --x nodes --y time_s --group block -o time.svg\n"
      "  sqlite3 -csv -header runs.sqlite 'SELECT * FROM runs'\n"
      "Format: docs/formats/sweep.md");
  sweep.callback([options] { run_sweep(*options); });
}

}  // namespace ovlp::tools
