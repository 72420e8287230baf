// SPDX-License-Identifier: BSD-3-Clause
#include "validation.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>

#include "ablation.hpp"
#include "campaign.hpp"
#include "comparison.hpp"
#include "report.hpp"

namespace ovlp::lab::validate {
namespace {

/// The folder of all results. It goes again if nothing has come into it, with those around it that were made for it.
class output_folder {
 public:
  /// Errors: io_error.
  explicit output_folder(std::string const& path) {
    std::error_code error;
    for (auto folder = std::filesystem::absolute(path); !std::filesystem::exists(folder, error);
         folder = folder.parent_path()) {
      made_.push_back(folder);
    }
    std::filesystem::create_directories(path, error);
    if (error) throw io_error("'" + path + "' cannot be made: " + error.message());
  }
  output_folder(output_folder const&) = delete;
  output_folder& operator=(output_folder const&) = delete;
  ~output_folder() {
    std::error_code not_empty;
    for (std::filesystem::path const& folder : made_) std::filesystem::remove(folder, not_empty);
  }

 private:
  std::vector<std::filesystem::path> made_;  ///< the innermost one first
};

}  // namespace

validation_result validate(validation_options const& options) try {
  places const& where = options.where;
  grid const all = grid::read(options.grid);
  check_programs(all, where, options.measures());
  std::optional<output_folder> made;
  if (options.measures()) made.emplace(where.output);
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
} catch (base::interrupted const&) {
  throw base::interrupted{options.measures() ? "what has been measured, in '" + options.where.output + "'," : ""};
}

}  // namespace ovlp::lab::validate
