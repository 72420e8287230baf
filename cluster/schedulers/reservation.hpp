// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {

/// For the first job that finds no room: when it starts at the latest if all others take as long as they have said, and
/// how many nodes it leaves then.
struct reservation {
  double start_s = 0;
  node_count spare = 0;

  /// Whether a job that ends then may go ahead on so many nodes; they are taken.
  bool lets_ahead(double end_s, node_count nodes) {
    if (end_s <= start_s) return true;
    if (nodes > spare) return false;
    spare -= nodes;
    return true;
  }
};

/// When nodes become free.
class reservations {
 public:
  struct release {
    double at_s;
    node_count nodes;
  };

  /// `end_s`: when a running job is expected to end.
  void begin(known const& now, double (*end_s)(running_job const&, double now_s)) {
    now_ = &now;
    end_s_ = end_s;
    started_.clear();
  }
  /// Of a job that is started in this decision.
  void add(release one) { started_.push_back(one); }
  /// What has run longer than it said may end at any moment: it counts as ending now.
  reservation of(node_count nodes, node_count free) {
    releases_ = started_;
    for (running_job const& one : now_->running)
      releases_.push_back({std::max(end_s_(one, now_->now_s), now_->now_s), one.held});
    std::ranges::sort(releases_, {}, &release::at_s);
    double at_s = now_->now_s;
    for (auto next = releases_.begin(); next != releases_.end() && free < nodes;) {
      for (at_s = next->at_s; next != releases_.end() && next->at_s == at_s; ++next) free += next->nodes;
    }
    return {at_s, free - nodes};
  }

 private:
  known const* now_ = nullptr;
  double (*end_s_)(running_job const&, double) = nullptr;
  std::vector<release> started_;
  std::vector<release> releases_;
};

}  // namespace ovlp::cluster
