// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <ovlp/flowgraph/held_nodes.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>
#include <ovlp/runtime/policy.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

/// What is held after each iteration: the policy of a run, and what it has decided. In each process; node 0 decides.
/// Thread: any; of node 0's policy one at a time.
class borders {
 public:
  explicit borders(std::size_t nodes) : nodes_(nodes) {}

  // Before the first call.
  void follow(std::shared_ptr<ovlp::policy> decides, ovlp::plan of);
  ovlp::plan const& plan() const { return plan_; }
  held_nodes at_start() const { return policy_ ? policy_->at_start(nodes_) : held_nodes{nodes_}; }
  bool may_change_after(int iteration) const { return policy_ && policy_->may_change_after(iteration); }

  /// On node 0. Errors: graph_error if an iteration ends again; config_error for what cannot be held; what the policy
  /// throws.
  std::optional<decision> decide(int iteration);
  /// The plan's first change that has not been decided, if the run ends now.
  std::optional<int> first_missed();

 private:
  std::size_t const nodes_;
  std::shared_ptr<ovlp::policy> policy_;
  ovlp::plan plan_;
  mutex mutex_;
  std::optional<held_nodes> held_ OVLP_GUARDED_BY(mutex_);  ///< none: nothing has been decided
  int last_ OVLP_GUARDED_BY(mutex_) = 0;
};

}  // namespace OVLP_CORE
}  // namespace ovlp
