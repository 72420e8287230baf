// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::lab::study {

/// How far predictions on a platform were from what was measured there.
struct known_error {
  std::string platform;            ///< as the command line names it
  bool of_program = false;         ///< only runs of the program; else it was not measured there, and these are others
  std::size_t configurations = 0;  ///< that were measured; 0: nothing is known of this platform
  double mean = 0;                 ///< absolute, relative to what was measured
  std::string file;                ///< with these errors
};

/// Known are errors of the platforms that `ovlp validate` has calibrated, FOLDER/platforms/testbed-NAME.json: they
/// stand in FOLDER/errors.csv (docs/formats/measurements.md). `words`: of a simulated run. Errors: config_error, for a
/// file that is wrong.
known_error known_error_of(std::vector<std::string> words, std::string const& program);

/// In a sentence.
std::string text_of(known_error const& known);

}  // namespace ovlp::lab::study
