// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/known_errors.hpp>

namespace ovlp::lab::validate {

/// By how many spreads more was measured than predicted: see analysis::known_error.
struct measured_error {
  analysis::predicted what;
  std::string validation;  ///< its folder's name
  std::string testbed;     ///< validations on one whose nodes differed as much share its calibration
  std::string program;
  double spreads;
  double spread;  ///< relative
};

/// Of all configurations of validations, and of ratios of each two that follow one another in a grid; a validation is
/// a folder with errors.csv, and with plans.csv if its grid has plans.
/// Errors: config_error, io_error.
std::vector<measured_error> read_errors(std::vector<std::string> const& folders);

/// Within what nine of ten are, of each kind of which there are enough: lab/results/errors.json.
nlohmann::ordered_json known_errors(std::vector<measured_error> const& all);

/// How intervals hold that know nothing of what they are for: of each calibration, validation and program by all
/// others.
std::string held_out_table(std::vector<measured_error> const& all);

}  // namespace ovlp::lab::validate
