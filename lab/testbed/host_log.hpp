// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ovlp::lab {

/// How fast the host of a testbed, which others use too, was for a while, as its monitor (testbed/monitor.cpp) has
/// measured it. In seconds.
struct host_state {
  std::vector<double> products_s;  ///< mean CPU time of a small matrix product on each core, in their order
  double cache_line_s = 0;         ///< mean latency of a cache line from one core to another; 0: not known

  bool is_known() const { return !products_s.empty(); }
};

/// Between two times of the monotonic clock; not known if there is no log.
host_state read_host_log(std::string const& log, double from_s, double to_s);

}  // namespace ovlp::lab
