// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ovlp::sim {

/// What a file says of a kernel with some sizes.
struct kernel_duration {
  std::string kernel;
  std::vector<std::int64_t> sizes;
  double mean_s;
  double count;
  double standard_deviation_s;
  double first_s;  ///< of the first one in a DPS thread
};

/// Durations of kernels, as --record-durations writes them. Format: docs/formats/durations.md.
struct recorded_durations {
  std::string reference_core;
  std::vector<kernel_duration> kernels;
};

/// Errors: config_error that names file, key and what was expected.
recorded_durations read_durations(std::string const& file);

/// Whether two names of processors may mean the same; one may say less than the other.
bool same_core(std::string const& a, std::string const& b);

}  // namespace ovlp::sim
