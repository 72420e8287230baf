// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/machine/platform.hpp>

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

/// What the runtime itself, and operations outside kernels, took in a real run. Units: as kernel_duration.
struct runtime_duration {
  double per_step_s;    ///< of each atomic step, 0 or more
  double per_object_s;  ///< more of one that ends by sending an object on, 0 or more
  double per_wake_s;    ///< until an execution thread that had nothing to run, or the main program, goes on; 0 or more
};

/// Durations of kernels, as --record-durations writes them, or models of them, as ovlp fit does. Format:
/// docs/formats/durations.md.
struct recorded_durations {
  std::string reference_core;  ///< the processor on which they were measured
  std::vector<kernel_duration> kernels;
  std::vector<double> of_nodes;                         ///< by number: how long kernels last there, relative to these
  std::size_t execution_threads = 0;                    ///< that computed at once on its one node; 0: it does not say
  std::optional<runtime_duration> runtime;              ///< none: the file does not say
  std::map<std::string, machine::kernel_model> models;  ///< of kernels of which models are given in place of durations
  bool simulated = false;                               ///< they are what a simulation charged, not measurements
};

/// The durations in a file, in ascending order of kernels, and for each in the file's order of sizes.
/// Errors: config_error that names file, key and what was expected; also for a key that is not known.
recorded_durations read_durations(std::string const& file);

/// Whether two names of processors may mean the same; one may say less than the other, "Xeon" is part of "Intel Xeon
/// 6226", or be "unknown". "this machine" is the processor on which this runs.
bool same_core(std::string const& a, std::string const& b);

}  // namespace ovlp::sim
