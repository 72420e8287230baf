// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <ovlp/base/held_nodes.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>
#include <ovlp/runtime/policy.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

/// What a policy has answered: policy::answer.
struct border_decision {
  std::optional<decision> made;
  std::string error;
};

/// What is held after each iteration: the policy of a run, and what it has decided. In each process; node 0 decides.
/// Thread: any; of node 0's policy one at a time.
class borders {
 public:
  explicit borders(std::size_t nodes) : nodes_(nodes) {}

  // Before the first call.
  void follow(std::shared_ptr<ovlp::policy> decides, ovlp::plan of);
  ovlp::plan const& plan() const { return plan_; }
  held_nodes at_start() const { return policy_ ? policy_->at_start(nodes_) : held_nodes{nodes_}; }
  bool may_change_after(int iteration) const {
    return takes_orders_ || (policy_ && policy_->may_change_after(iteration));
  }
  /// Others may say what is to be held.
  void take_orders() { takes_orders_ = true; }
  /// Node 0 follows a policy that measures, and this process does not know it.
  void measure_for_node_0() { measures_for_node_0_ = true; }

  /// From the next border on, until another order; nothing: what the plan or policy says. Errors: config_error.
  void order(std::optional<std::size_t> nodes);
  struct state {
    std::size_t nodes;  ///< of the run
    held_nodes held;    ///< by what was decided last
    int iteration;      ///< that has ended last
    std::optional<std::size_t> ordered;
  };
  state now();

  /// Whether the policy looks at what is measured.
  bool measures() const { return measures_for_node_0_ || (policy_ && policy_->measures()); }
  /// What the held nodes could have done between two times, and for how long they were held, added up.
  struct held_time {
    double capacity_s, node_s;
  };
  /// In start(), of node 0.
  void use(std::function<held_time(double from_s, double to_s)> held) { held_between_ = std::move(held); }
  void call_begins(std::uint64_t call, double now_s);
  /// That began; 0: none.
  std::uint64_t last_call();

  /// On node 0, one at a time. `work_s`: of the call so far, if it measures. `then`: as that of policy::ask; the error
  /// may also be that what was decided cannot be held.
  void ask(int iteration, std::uint64_t call, double now_s, double work_s, policy::answer const& then);
  /// What is not done, if the run ends now.
  struct unmade {
    std::size_t changes = 0;  ///< of the plan
    int first_change = 0;
    bool nothing_measured = false;  ///< a policy that measures, and there was no border
    std::optional<std::size_t> ordered = {};
  };
  unmade missed();

 private:
  std::size_t const nodes_;
  std::shared_ptr<ovlp::policy> policy_;
  ovlp::plan plan_;
  bool takes_orders_ = false;
  bool measures_for_node_0_ = false;
  mutex mutex_;
  /// When something was measured last, or the call began.
  struct moment {
    std::uint64_t call = 0;
    double begin_s = 0, at_s = 0, work_s = 0;
  };
  /// What is held from now on, if that changes. Errors: config_error for what cannot be held.
  std::optional<decision> accepted(int iteration, std::optional<decision> made);
  border measured(int iteration, std::uint64_t call, double now_s, double work_s) OVLP_REQUIRES(mutex_);

  std::function<held_time(double, double)> held_between_;
  moment last_measured_ OVLP_GUARDED_BY(mutex_);
  std::optional<held_nodes> held_ OVLP_GUARDED_BY(mutex_);  ///< none: nothing has been decided
  int last_ OVLP_GUARDED_BY(mutex_) = 0;
  std::optional<std::size_t> ordered_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace OVLP_CORE
}  // namespace ovlp
