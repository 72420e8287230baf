// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "grid.hpp"
#include "measurements.hpp"
#include "program.hpp"

namespace ovlp::lab::validate {

/// Whether there is a straggler that changes the prediction by 3 % or more: else a run says nothing of stragglers.
/// `without_straggler_s`: as below.
inline bool straggler_has_effect(double without_straggler_s, double predicted_s) {
  return without_straggler_s > 0 && std::abs(without_straggler_s / predicted_s - 1) >= 0.03;
}

/// A configuration, as measured and as predicted.
struct comparison {
  configuration of;
  std::vector<double> measured_s;       ///< of all repetitions, in their order
  std::vector<double> measured_node_s;  ///< of the same, for which nodes were held; 0: not known
  double median_s = 0;
  double spread = 0;            ///< (longest - shortest) / median
  double predicted_s = 0;       ///< by the calibrated model
  double unvaried_s = 0;        ///< by the calibrated model, of one simulation in which nothing varies
  double plain_s = 0;           ///< by the paper's plain model
  double work_error = 0;        ///< of the kernels' CPU time: predicted / measured - 1
  double node_s = 0;            ///< for which nodes were held, median
  double predicted_node_s = 0;  ///< by the calibrated model
  double unvaried_node_s = 0;   ///< as unvaried_s
  /// Of the run that waited most for processors, relative to the CPU time that it used; 0: not known.
  processor_use waited = {};
  std::string kind = {};               ///< of run: analysis::key_of(); empty: of none for which errors are counted
  std::size_t nodes = 0;               ///< of the run
  std::size_t calibrated_nodes = 0;    ///< that the platform describes
  double speed_deviation = 0;          ///< of the platform
  double without_straggler_s = 0;      ///< by the calibrated model as it was calibrated; 0: there was no straggler
  double without_communication_s = 0;  ///< by the calibrated model, if objects crossed the network at once and for free

  bool is_slowed() const { return straggler_has_effect(without_straggler_s, predicted_s); }
  double error() const { return predicted_s / median_s - 1; }
  double plain_error() const { return plain_s / median_s - 1; }
  /// What communication makes of the predicted time.
  double communication() const { return 1 - without_communication_s / predicted_s; }
};

/// The dynamic efficiency of an iteration, 0 to 1.
struct efficiency_comparison {
  configuration of;
  int iteration;
  double measured;  ///< median of the repetitions
  double predicted;
};

struct results {
  std::vector<comparison> times;
  std::vector<efficiency_comparison> efficiencies;
  std::vector<std::string> failures;  ///< configurations that cannot be compared, and why
};

/// Times of the runs of a configuration that went well. Errors: io_error that says why there is none.
std::vector<double> measured_times_s(configuration const& c, measurements const& from);

double mean_absolute(std::vector<double> const& errors);
/// Of a table: how many errors there are, how many percent of them are within each limit, their mean and their mean
/// absolute value in percent; only how many, if there are none.
std::string error_columns(std::vector<double> const& errors, std::span<double const> limits);

/// Predicts every configuration that has been measured. Durations of kernels come from `calibrated`, which may be the
/// same. Errors: config_error, io_error.
results compare(grid const& of, places const& where, measurements const& from, measurements const& calibrated);

}  // namespace ovlp::lab::validate
