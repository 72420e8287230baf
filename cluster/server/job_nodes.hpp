// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "workload/forecast.hpp"

namespace ovlp::cluster {

/// The nodes of a job, numbered from 0, and which node of the cluster (host) each of them is. A job holds the numbers
/// below its target; beside them those that it is to give back and has not. A host is bound to a number from the order
/// on that wants it until the program has released it, so a number may be another host the next time.
class job_nodes {
 public:
  node_count held() const { return held_; }
  /// Which hosts the numbers below this one are, all of which are bound.
  std::span<node_count const> hosts(node_count nodes) const { return std::span(hosts_).first(nodes); }

  /// The program has been told that it holds the numbers below this one.
  void tell(node_count nodes) {
    grow(nodes);
    std::fill_n(its_own_.begin(), nodes, true);
    told_ = nodes;
  }
  /// The program has joined, or released, the numbers from `from` on and below `to`.
  void joined(node_count from, node_count to) { mark(from, to, true); }
  /// Numbers that it has been told meanwhile to hold again stay its own.
  void released(node_count from, node_count to) { mark(std::max(from, told_), std::max(to, told_), false); }
  /// It has ended.
  void all_released() {
    tell(0);
    released(0, static_cast<node_count>(hosts_.size()));
  }

  /// Binds what is to be bound now. `take()`: a host that is free. `give_back(host)`. Those come first.
  template <class Take, class Give>
  void rebind(node_count target, Take const& take, Give const& give_back) {
    grow(target);
    for (node_count n = target; n < hosts_.size(); ++n) {
      if (hosts_[n] == unbound || its_own_[n]) continue;
      give_back(std::exchange(hosts_[n], unbound));
      --held_;
    }
    for (node_count n = 0; n < target; ++n) {
      if (hosts_[n] != unbound) continue;
      hosts_[n] = take();
      ++held_;
    }
  }

 private:
  static constexpr node_count unbound = std::numeric_limits<node_count>::max();
  void grow(node_count nodes) {
    if (hosts_.size() >= nodes) return;
    hosts_.resize(nodes, unbound);
    its_own_.resize(nodes, false);
  }
  void mark(node_count from, node_count to, bool its_own) {
    grow(to);
    std::fill(its_own_.begin() + from, its_own_.begin() + to, its_own);
  }

  std::vector<node_count> hosts_;  ///< by number
  std::vector<char> its_own_;      ///< of each: the program has it, or has been told so
  node_count held_ = 0;
  node_count told_ = 0;
};

}  // namespace ovlp::cluster
