// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ovlp::sim {

/// What a file says of a kernel with some sizes. Units: CPU seconds on the file's reference core.
struct kernel_duration {
  std::string kernel;               ///< its name, with its program's before it
  std::vector<std::int64_t> sizes;  ///< 0 to kernel_sizes::most
  double mean_s;                    ///< without the first one of each DPS thread, 0 or more
  double count;                     ///< how many the mean is of, 1 or more; 1 if the file does not say
  double standard_deviation_s;      ///< of the sample; 0 if the file does not say
  double first_s;                   ///< of the first one in a DPS thread; mean_s if the file does not say
};

/// Durations of kernels, as --record-durations writes them. Format: docs/formats/durations.md.
struct recorded_durations {
  std::string reference_core;  ///< the processor on which they were measured
  std::vector<kernel_duration> kernels;
};

/// The durations in a file, in ascending order of kernels, and for each in the file's order of sizes.
/// Errors: config_error that names file, key and what was expected; also for a key that is not known.
recorded_durations read_durations(std::string const& file);

/// Whether two names of processors may mean the same; one may say less than the other, "Xeon" is part of "Intel Xeon
/// 6226", or be "unknown". "this machine" is the processor on which this runs.
bool same_core(std::string const& a, std::string const& b);

}  // namespace ovlp::sim
