// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {
namespace {

/// Of an iteration: a job that is less efficient gives nodes up when others wait.
constexpr double enough = 0.7;

/// First come, first served. At a border a job whose measured efficiency is not enough gives nodes up if others wait;
/// one that is efficient gets free nodes that nobody waits for.
/// Source: the paper, section 9: nodes that a program cannot use serve others.
class efficiency final : public scheduler {
 public:
  void decide(known const& now, std::vector<order>& orders) override {
    node_count free = now.free;
    std::size_t waiting = now.waiting.size();
    for (waiting_job const& next : now.waiting) {
      node_count const nodes = next.what->largest(std::min(free, next.what->requested));
      if (nodes == 0) break;
      orders.push_back({order::kind_type::start, next.number, nodes});
      free -= nodes;
      --waiting;
    }
    for (running_job const& one : now.running) {
      if (!one.at_border) continue;
      auto const& possible = one.what->possible;
      auto const at = std::ranges::lower_bound(possible, one.target);
      bool const uses_them = one.measured_efficiency >= enough;
      if (waiting > 0 && !uses_them && at != possible.begin()) {
        orders.push_back({order::kind_type::hold, one.number, *(at - 1)});
      } else if (waiting == 0 && uses_them && possible.end() - at > 1 && *(at + 1) <= one.most(free)) {
        orders.push_back({order::kind_type::hold, one.number, *(at + 1)});
        free -= *(at + 1) - one.target;
      }
    }
  }
};

}  // namespace

std::unique_ptr<scheduler> make_efficiency() { return std::make_unique<efficiency>(); }

}  // namespace ovlp::cluster
