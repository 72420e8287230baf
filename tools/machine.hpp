// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ovlp::tools {

/// What the machine under a testbed, which others use too, was like for a while, as the testbed's metronome has heard
/// it (testbed/metronome.cpp). In seconds.
struct machine_state {
  std::vector<double> cores_s;  ///< mean CPU time of a small product on each core, in their order; empty: not known
  double apart_s = 0;           ///< mean time of a cache line from one core to another; 0: not known

  bool is_known() const { return !cores_s.empty(); }
};

/// Between two times of the monotonic clock; unknown if there is no log.
machine_state heard_machine(std::string const& log, double from_s, double to_s);

}  // namespace ovlp::tools
