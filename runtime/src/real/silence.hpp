// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>

namespace ovlp::real {

/// How long a node has been silent. Time in which this process did not listen does not count.
class silence {
 public:
  using clock = std::chrono::steady_clock;

  /// `missed`: of the time since the last call, that in which this process did not listen.
  clock::duration at(clock::time_point now, clock::time_point last_received, clock::duration missed) {
    if (last_received != last_received_) excused_ = clock::duration::zero();
    last_received_ = last_received;
    excused_ = std::min(excused_ + missed, now - last_received);
    return now - last_received - excused_;
  }

 private:
  clock::time_point last_received_;
  clock::duration excused_ = clock::duration::zero();  ///< of the time since something was last received
};

}  // namespace ovlp::real
