// SPDX-License-Identifier: BSD-3-Clause
#include "node_link.hpp"

#include <cmath>

#include <ovlp/base/expects.hpp>

namespace ovlp::net {

void check(node_link const& l) {
  for (double const bandwidth : {l.out_Bps, l.in_Bps}) {
    base::require(std::isfinite(bandwidth) && bandwidth > 0, "network: a bandwidth is finite and more than 0");
  }
  check_latency(l.latency_s);
  base::require(l.over_time == nullptr || l.over_time->least() > 0, "network: bandwidths stay more than 0");
}

void check_latency(double latency_s) {
  base::require(std::isfinite(latency_s) && latency_s >= 0, "network: a latency is finite and not negative");
}

}  // namespace ovlp::net
