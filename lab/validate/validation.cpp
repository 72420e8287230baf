// SPDX-License-Identifier: BSD-3-Clause
#include "validation.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/support/process.hpp>

#include "ablation.hpp"
#include "campaign.hpp"
#include "comparison.hpp"
#include "report.hpp"

namespace ovlp::lab::validate {

validation_result validate(validation_options const& options) try {
  places const& where = options.where;
  grid const all = grid::read(options.grid);
  check_programs(all, where, options.measures());
  std::error_code error;
  if (options.measures()) std::filesystem::create_directories(where.output, error);
  if (error) throw io_error("'" + where.output + "' cannot be made: " + error.message());
  if (!std::filesystem::is_directory(where.output)) {
    throw io_error("--output: expected a folder of measurements, got '" + where.output + "'");
  }
  std::optional<measurements> earlier;  // whose durations are used
  if (where.has_earlier_durations()) earlier.emplace(where.calibrated);
  if (options.measures()) {
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
} catch (support::interrupted const&) {
  throw support::interrupted{options.measures() ? "what has been measured" : ""};
}

}  // namespace ovlp::lab::validate
