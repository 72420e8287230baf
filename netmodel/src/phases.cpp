// SPDX-License-Identifier: BSD-3-Clause
#include "phases.hpp"

#include <cmath>

namespace ovlp::net {
namespace {

void check_latency(double latency_s) {
  base::require(std::isfinite(latency_s) && latency_s >= 0, "network: a latency is finite and not negative");
}

void check(node_link const& l) {
  for (double const bandwidth : {l.out_Bps, l.in_Bps}) {
    base::require(std::isfinite(bandwidth) && bandwidth > 0, "network: a bandwidth is finite and more than 0");
  }
  check_latency(l.latency_s);
  base::require(l.over_time == nullptr || l.over_time->least() > 0, "network: bandwidths stay more than 0");
}

}  // namespace

phased_network::phased_network(std::vector<node_link> const& links, double latency_s)
    : nodes_(links.size()), latency_s_(latency_s), touched_(links.size()) {
  check_latency(latency_s);
  for (node_link const& l : links) check(l);
}

void phased_network::start(transfer const& started, double now_s) {
  base::require(now_s < infinity && now_s >= now_s_ && now_s >= last_start_s_,
                "network: a transfer starts in the past");
  check_node(started.source);
  check_node(started.destination);
  base::require(started.source != started.destination, "network: a transfer from a node to itself");
  last_start_s_ = now_s;
  starting_.push(ready_s(started, now_s, latency_s(started.source, started.destination)), started);
}

}  // namespace ovlp::net
