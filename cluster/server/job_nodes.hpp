// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <vector>

#include "workload/forecast.hpp"

namespace ovlp::cluster {

/// The nodes of a job, numbered from 0, and which node of the cluster (host) each of them is. A job holds the numbers
/// below its target; beside them those that it is to give back and has not. A host is bound to a number from the order
/// on that wants it until the program has released it, so a number may be another host the next time.
class job_nodes {
 public:
  node_count held() const { return held_; }

  /// The program has been told that it holds the numbers below this one.
  void tell(node_count nodes) {
    if (hosts_.size() < nodes) hosts_.resize(nodes);
    for (node_count n = 0; n < nodes; ++n) hosts_[n].its_own = true;
  }
  /// The program has joined, or released, the numbers from `from` on and below `to`.
  void joined(node_count from, node_count to) { mark(from, to, true); }
  void released(node_count from, node_count to) { mark(from, to, false); }

  /// Binds what is to be bound now. `take()`: a host that is free. `give_back(host)`. Those come first.
  template <class Take, class Give>
  void rebind(node_count target, Take const& take, Give const& give_back) {
    if (hosts_.size() < target) hosts_.resize(target);
    for (node_count n = target; n < hosts_.size(); ++n) {
      if (hosts_[n].host == unbound || hosts_[n].its_own) continue;
      give_back(hosts_[n].host);
      hosts_[n].host = unbound;
      --held_;
    }
    for (node_count n = 0; n < target; ++n) {
      if (hosts_[n].host != unbound) continue;
      hosts_[n].host = take();
      ++held_;
    }
  }

 private:
  static constexpr node_count unbound = std::numeric_limits<node_count>::max();
  struct numbered {
    node_count host = unbound;
    bool its_own = false;  ///< the program has it, or has been told so
  };
  void mark(node_count from, node_count to, bool its_own) {
    if (hosts_.size() < to) hosts_.resize(to);
    for (node_count n = from; n < to; ++n) hosts_[n].its_own = its_own;
  }

  std::vector<numbered> hosts_;  ///< by number
  node_count held_ = 0;
};

}  // namespace ovlp::cluster
