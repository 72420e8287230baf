// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/borders.hpp>

#include <utility>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

void borders::follow(std::shared_ptr<ovlp::policy> decides, ovlp::plan of) {
  policy_ = std::move(decides);
  plan_ = std::move(of);
}

std::optional<decision> borders::decide(int iteration) {
  if (!policy_) return std::nullopt;
  scoped_lock const lock(mutex_);
  if (iteration <= last_) return std::nullopt;  // overtaken, where iterations overlap: what came later holds
  last_ = iteration;
  if (!held_) held_ = at_start();
  std::optional<decision> made = policy_->decide({iteration, nodes_, *held_});
  if (!made || made->hold == *held_) return std::nullopt;
  if (made->hold.nodes < 1 || made->hold.nodes > nodes_) {
    throw config_error("after iteration " + std::to_string(iteration) + ": expected to hold 1 to " +
                       std::to_string(nodes_) + " nodes, got " + std::to_string(made->hold.nodes) + " (" +
                       made->reason + ")");
  }
  held_ = made->hold;
  return made;
}

std::optional<int> borders::first_missed() {
  scoped_lock const lock(mutex_);
  auto const next = plan_.changes.upper_bound(last_);
  return next == plan_.changes.end() ? std::nullopt : std::optional(next->first);
}

}  // namespace OVLP_CORE
}  // namespace ovlp
