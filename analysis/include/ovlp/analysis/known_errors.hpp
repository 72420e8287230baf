// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ovlp::analysis {

/// What was predicted, and then measured.
enum class predicted : std::uint8_t {
  time,                     ///< of a run, on a calibrated platform
  time_beyond_calibration,  ///< of a run on more nodes than the platform was calibrated on
  time_of_unequal_nodes,    ///< of a run on a calibrated platform that was told which node is slow
  time_on_this_machine,     ///< of a run on the platform `local`
  saved_node_s,             ///< by a plan, relative to the run without one
  lost_time,                ///< to a plan, relative to the run without one
  ratio_of_times,           ///< of two runs of a program on a calibrated platform
};

/// By what predictions on a platform are to be expected to miss, up to a factor; times relative to the prediction,
/// others in parts of one:
///   sqrt(0.03^2 + speed_deviation^2)
/// `speed_deviation`: of the platform, which calibration measures. What is the same for all is the model's; on a host
/// whose nodes differ from run to run predictions miss by more. Source: docs/decisions/0025.
double spread_of_predictions(double speed_deviation);

/// How far predictions were from what was measured, in multiples of spread_of_predictions().
struct known_error {
  double below, above;       ///< one of twenty was more than so much less than predicted, one of twenty more
  std::size_t cases;         ///< that were measured
  std::size_t calibrations;  ///< by how many of which they were predicted
  std::size_t programs;

  struct range {
    double low, high;
  };
  /// Nine of ten were there, if this was predicted: of savings and losses; of times and ratios relative to the
  /// prediction, so around 1.
  range around(double value, double spread) const { return {value - below * spread, value + above * spread}; }
  /// "holds for 9 of 10 of 470 measured times (5 programs, 13 calibrations)"; and what would narrow the interval, if
  /// its width comes from the host.
  std::string text(predicted what, double speed_deviation) const;
  /// "470 measured times (5 programs, 13 calibrations)".
  std::string cases_text(predicted what) const;
};

/// Of all measurements in lab/results; none: nothing of this kind was measured. Such intervals hold nine times in ten,
/// if what is predicted is like what was measured; how they do where a calibration, a day or a program is left out:
/// docs/lab/validation.md, "Intervals". Source: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World, 2005
/// (conformal prediction). Thread: any.
std::optional<known_error> known_error_of(predicted what);

/// All kinds, with their keys in lab/results/errors.json, and in errors.csv those of times.
struct kind_of_error {
  predicted what;
  char const* key;
  char const* plural;  ///< "losses of time"
};
std::span<kind_of_error const> kinds_of_errors();
char const* key_of(predicted what);

}  // namespace ovlp::analysis
