// SPDX-License-Identifier: BSD-3-Clause
#include "validation.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

#include <ovlp/flowgraph/error.hpp>

#include "ablation.hpp"
#include "campaign.hpp"
#include "comparison.hpp"
#include "report.hpp"

namespace ovlp::lab::validate {

validation_result validate(validation_options const& options) {
  places const& where = options.where;
  grid const all = grid::read(options.grid);
  bool const measures = !options.report_only && !options.ablate;
  check_programs(all, where, measures);
  std::error_code error;
  if (measures) std::filesystem::create_directories(where.output, error);
  if (error) throw io_error("'" + where.output + "' cannot be made: " + error.message());
  if (!std::filesystem::is_directory(where.output)) {
    throw io_error("--output: expected a folder of measurements, got '" + where.output + "'");
  }
  std::optional<measurements> earlier;  // whose durations are used
  if (where.has_earlier_durations()) earlier.emplace(where.calibrated);
  if (measures) {
    measurements begun(where.output);
    measure(all, where, begun, earlier ? &*earlier : nullptr);
  }
  // Read anew: a later report must find the same numbers, to the last digit.
  measurements const measured(where.output);
  if (options.ablate) return {ablate(all, where, measured, earlier ? *earlier : measured), ""};
  results const found = compare(all, where, measured, earlier ? *earlier : measured);
  validation_result result{write_report(all, found, where.output), ""};
  if (found.times.empty()) result.failure = found.failures.empty() ? "the grid is empty" : found.failures.front();
  return result;
}

}  // namespace ovlp::lab::validate
