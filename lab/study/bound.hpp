// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/store/stored_run.hpp>

#include "changes.hpp"
#include "simulated_run.hpp"

namespace ovlp::lab::study {

/// How much of a simulated run's time is left for sure.
class time_bound {
 public:
  /// `record`: of the run as it is; its call that took `time_s` counts. Errors: ovlp::error if none has ended.
  time_bound(stored_run const& record, double time_s);

  /// The time of the critical path, in seconds, if each of its pieces takes as much less, or more, as the changes can
  /// bring: no other chain of activities is made shorter than this one. It holds as long as things happen in the same
  /// order. None if the changes make another run, of another number of nodes.
  std::optional<double> with(std::vector<change> const& changes, simulated_run const& before,
                             simulated_run const& after) const;

 private:
  struct kernel_seconds {
    double elapsed = 0;
    double work = 0;
  };
  struct seconds {
    double steps = 0;       ///< but for kernels
    double processors = 0;  ///< of communication
    double latency = 0;
    double bandwidth = 0;
    double notices = 0;  ///< messages of the runtime, which have no bytes
    double others = 0;
    std::map<std::string, kernel_seconds> kernels{};
  };
  seconds spent_;
};

}  // namespace ovlp::lab::study
