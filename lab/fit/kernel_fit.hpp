// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ovlp::lab {

struct fit_options {
  std::vector<std::string> inputs;  ///< durations of kernels, as --record-durations writes them
  std::string platform;             ///< a platform file that gets the models; empty: none
  std::string output;               ///< "-" is standard output
};

/// Fits a machine::kernel_model to the durations of each kernel, by least squares of the relative error over all sizes,
/// and writes the platform with these models, or the models alone, as durations. Returns a table that says how far each
/// model is off. Formats: docs/formats/durations.md, docs/formats/platform.md. Errors: config_error for wrong input,
/// with the file; io_error. Nothing is written then.
std::string fit_kernels(fit_options const& options);

}  // namespace ovlp::lab
