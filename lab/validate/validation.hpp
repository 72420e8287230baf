// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "program.hpp"

namespace ovlp::lab::validate {

struct validation_options {
  std::string grid;  ///< file
  places where;
  bool report_only = false;  ///< nothing is measured
  bool ablate = false;       ///< nothing is measured: predicts without each part of the model, and reports the errors

  bool measures() const { return !report_only && !ablate; }
};

struct validation_result {
  std::string report;   ///< as it is written
  std::string failure;  ///< why nothing could be compared; empty if something was
};

/// Measures what is missing of a grid, predicts and compares all of it, and writes the report.
/// Errors: config_error, io_error; base::interrupted.
validation_result validate(validation_options const& options);

}  // namespace ovlp::lab::validate
