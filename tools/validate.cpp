// SPDX-License-Identifier: BSD-3-Clause
// ovlp validate
#include <memory>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>

#include "options.hpp"
#include "parts.hpp"
#include "subcommands.hpp"
#include "validate/validation.hpp"

namespace ovlp::tools {

void add_validate(CLI::App& ovlp) {
  auto const options = std::make_shared<lab::validate::validation_options>();
  auto& where = options->where;
  where.build = "build/release";
  where.testbeds = "lab/testbed";
  CLI::App& validate = add_part(ovlp, "validate");
  add_required(validate, "grid", options->grid, "GRID", "what is to be run (JSON)");
  add_required(validate, "-o,--output", where.output, "FOLDER", "folder of measurements and report");
  add_option(validate, "--build", where.build, "FOLDER", "where the grid's programs are")->capture_default_str();
  add_option(validate, "--testbeds", where.testbeds, "FOLDER", "where the scripts up, down, run and calibrate are")
      ->capture_default_str();
  CLI::Option& calibrated = *add_option(
      validate, "--calibrated", where.calibrated, "FOLDER",
      "folder of an earlier validation, by whose platforms and durations is predicted", CLI::ExistingDirectory);
  validate
      .add_flag("--record-durations", where.record_durations,
                "with --calibrated: take its platforms, and record durations of kernels again")
      ->needs(&calibrated);
  CLI::Option& report =
      *validate.add_flag("--report", options->report_only, "measure nothing; predict and compare what is there");
  validate
      .add_flag("--ablate", options->ablate,
                "measure nothing; predict without each part of the platforms' models, one at a time, and report the "
                "errors of the times, of medians of at most five simulations")
      ->excludes(&report);
  validate.footer(
      "Examples:\n"
      "  ovlp validate lab/grids/paper.json -o lab/results/paper\n"
      "  ovlp validate lab/grids/paper.json -o lab/results/paper --report\n"
      "  ovlp validate lab/grids/paper.json -o lab/results/paper --ablate\n"
      "  ovlp validate lab/grids/subset.json -o today --calibrated lab/results/paper\n"
      "Formats: docs/formats/grid.md, docs/formats/measurements.md");
  validate.callback([options] {
    base::notice_interrupts();
    lab::validate::validation_result const result = lab::validate::validate(*options);
    base::write_output("-", result.report);
    if (!result.failure.empty()) throw io_error("nothing could be compared: " + result.failure);
  });
}

}  // namespace ovlp::tools
