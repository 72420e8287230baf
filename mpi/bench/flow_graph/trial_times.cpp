// SPDX-License-Identifier: BSD-3-Clause
#include "trial_times.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ovlp::overlap_bench {

void trial_times::begin(run_definitions const& of) {
  auto const trial = std::find_if(of.graphs.begin(), of.graphs.end(), [](auto const& g) { return g.name == "trial"; });
  graph_ = static_cast<std::uint32_t>(trial - of.graphs.begin());
  if (trial == of.graphs.end()) return;
  for (auto const& operation : trial->operations) {
    constexpr std::array<std::string_view, 3> names{"operate", "take",
                                                    "work"};  // what is none of these is the last role
    roles_.push_back(static_cast<role>(std::ranges::find(names, operation.name) - names.begin()));
  }
}

trial_times::role trial_times::role_of(operation_place const& at) const {
  return at.graph == graph_ && at.operation < roles_.size() ? roles_[at.operation] : role::none;
}

void trial_times::step(step_record const& record) {
  role const what = role_of(record.at);
  if (what == role::none) return;
  std::scoped_lock const lock(mutex_);
  node_times& times = nodes_[record.at.node];
  if (what == role::operate) times.start_s = std::min(times.start_s, record.start_s);
  double& end_s = what == role::work ? times.worked_s : times.ended_s;
  end_s = std::max(end_s, record.end_s);
}

void trial_times::post(post_record const& record) {
  if (role_of(record.at) != role::operate || record.port != 1) return;
  std::scoped_lock const lock(mutex_);
  node_times& times = nodes_[record.at.node];
  times.posted_s = std::min(times.posted_s, record.at_s);
}

node_times trial_times::take(std::uint32_t node) {
  std::scoped_lock const lock(mutex_);
  node_times const times = nodes_[node];
  nodes_.erase(node);
  return times;
}

}  // namespace ovlp::overlap_bench
