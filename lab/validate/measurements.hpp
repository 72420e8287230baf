// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <ovlp/records/record.hpp>

namespace ovlp::lab::validate {

/// What was run, once.
struct run_key {
  std::string testbed;
  std::string application;
  std::string options;
  std::size_t repetition = 1;  ///< from 1

  /// Whether this is a repetition of that.
  bool repeats(std::string const& on, std::string const& program, std::string const& with) const {
    return testbed == on && application == program && options == with;
  }
  friend bool operator<(run_key const& a, run_key const& b) {
    return std::tie(a.testbed, a.application, a.options, a.repetition) <
           std::tie(b.testbed, b.application, b.options, b.repetition);
  }
};

/// How a real run went.
struct measurement {
  run_key of;
  std::string failure;  ///< empty: it went well
  double time_s = 0;
  double work_s = 0;
  double overhead_s = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  double held_node_s = 0;  ///< 0: not known, of runs that were measured before it was
  std::string call = {};   ///< which; empty: not known, as above
  processor_use processors = {};
};

/// One iteration of a real run.
struct iteration_measurement {
  run_key of;
  int iteration = 0;
  double start_s = 0;
  double end_s = 0;
  double work_s = 0;
  double held_node_s = 0;
};

/// Mean duration of a kernel in a run on one node.
struct kernel_measurement {
  run_key of;
  std::string kernel;
  std::string sizes;  ///< separated by blanks
  double mean_s = 0;
  double standard_deviation_s = 0;
  double first_s = 0;  ///< of the first one in a DPS thread
  std::uint64_t count = 0;
};

/// All that has been measured for a grid: CSV files in a folder, plain or compressed, written anew after every run. An
/// interruption loses the run that it interrupts and nothing else. Format: docs/formats/measurements.md.
class measurements {
 public:
  /// Reads what is there. Errors: config_error with file and line, io_error.
  explicit measurements(std::string folder);

  bool has(run_key const& run) const { return known_.contains(run); }
  /// Errors: io_error.
  void add(measurement const& run, std::vector<iteration_measurement> const& iterations,
           std::vector<kernel_measurement> const& kernels);

  std::vector<measurement> const& runs() const { return runs_; }
  std::vector<iteration_measurement> const& iterations() const { return iterations_; }
  std::vector<kernel_measurement> const& kernels() const { return kernels_; }

  /// Where those of a name stand: NAME or NAME.zst in the folder. Errors: config_error, if both are there.
  std::string file_of(std::string const& name) const;

 private:
  void keep(measurement run);
  void write() const;

  std::string folder_;
  std::set<run_key> known_;  ///< of runs_
  std::vector<measurement> runs_;
  std::vector<iteration_measurement> iterations_;
  std::vector<kernel_measurement> kernels_;
};

}  // namespace ovlp::lab::validate
