// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "schedulers/reservation.hpp"
#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {
namespace {

/// Nodes go where the predicted time that they save is worth most.
///
/// While q jobs wait for the n nodes of a cluster, whoever holds a node for a second delays each of them by 1/n of a
/// second: a node-second costs q/n seconds of turnaround. So a job that needs R(m) more seconds with m nodes is best
/// off, of all that are there, with the m for which
///   R(m) (1 + m q/n)
/// is least, and change_s more of both where it is a change. No job spends more node-seconds than it would with the
/// nodes that it has asked for: what it saves while others wait, it may spend later.
///
/// Of those that wait and have equal priorities (wait + time) / time is served, the highest first: short ones soon, and
/// each job's turn comes after a wait that is long beside its length. The first one that finds no room has a
/// reservation, as in `easy`. Source: Brinch Hansen, An analysis of response ratio scheduling (1971).
///
/// What it knows of a job that can hold one number of nodes only, or has no forecast, is what the job has said.
class gain final : public scheduler {
 public:
  void decide(known const& now, std::vector<order>& orders) override {
    node_count free = now.free;
    price_ = static_cast<double>(now.waiting.size()) / now.nodes;
    start_some(now, free, orders);
    for (running_job const& one : now.running) {
      if (!one.at_border || !one.what->foreseen()) continue;
      node_count const most = one.most(reserves_ ? 0 : free);
      node_count const nodes = best_of(*one.what, one.iterations, one.spent_node_s, one.target, most);
      if (nodes == one.target) continue;
      orders.push_back({order::kind_type::hold, one.number, nodes});
      if (nodes > one.target) free -= nodes - one.target;
    }
  }

 private:
  struct candidate {
    double response_ratio;
    waiting_job const* who;
    bool operator<(candidate const& other) const {
      return std::tuple(who->what->priority, response_ratio, other.who->number) <
             std::tuple(other.who->what->priority, other.response_ratio, who->number);
    }
  };

  void start_some(known const& now, node_count& free, std::vector<order>& orders) {
    reserves_ = false;
    if (free == 0 || now.waiting.empty()) return;
    candidates_.clear();
    for (waiting_job const& one : now.waiting) {
      double const time_s = std::max(one.what->requested_s, 1e-9);
      candidates_.push_back({(now.now_s - one.what->arrival_s + time_s) / time_s, &one});
    }
    std::make_heap(candidates_.begin(), candidates_.end());
    reservations_.begin(now, end_of);
    reservation kept{};
    for (; !candidates_.empty() && free > 0; candidates_.pop_back()) {
      std::pop_heap(candidates_.begin(), candidates_.end());
      waiting_job const& next = *candidates_.back().who;
      node_count const nodes = best_of(*next.what, 0, 0, {}, free);
      if (nodes > free) {
        if (std::exchange(reserves_, true)) continue;
        kept = reservations_.of(nodes, free);
        continue;
      }
      double const end_s = now.now_s + time_of(*next.what, nodes);
      if (reserves_ && !kept.lets_ahead(end_s, nodes)) continue;
      orders.push_back({order::kind_type::start, next.number, nodes});
      free -= nodes;
      reservations_.add({end_s, nodes});
      price_ -= 1.0 / now.nodes;
    }
  }

  static double end_of(running_job const& one, double now_s) {
    if (!one.what->foreseen()) return one.requested_end_s();
    return now_s + one.what->expected.rest_with_s(one.target, one.iterations);
  }

  static double time_of(job const& of, node_count nodes) {
    return of.foreseen() ? of.expected.rest_with_s(nodes, 0) : of.requested_s;
  }

  /// Of the numbers up to `most`. If there is none, the least one that it can hold.
  node_count best_of(job const& of, std::uint32_t done, double spent_node_s, std::optional<node_count> held,
                     node_count most) const {
    if (!of.foreseen()) return of.requested;
    auto const& expected = of.expected;
    double const budget_node_s = of.node_s() - spent_node_s;
    std::optional<std::pair<double, node_count>> best, thriftiest;
    for (std::size_t i = 0; i < expected.nodes().size() && expected.nodes()[i] <= most; ++i) {
      node_count const nodes = expected.nodes()[i];
      double const rest_s = expected.rest_s(i, done);
      double const change_s = held && *held != nodes ? expected.change_s() : 0;
      double const node_s = nodes * rest_s + std::max(held.value_or(0), nodes) * change_s;
      std::pair const cost{rest_s + change_s + price_ * node_s, nodes};
      if (node_s <= budget_node_s && (!best || cost < *best)) best = cost;
      if (std::pair const thrift{node_s, nodes}; !thriftiest || thrift < *thriftiest) thriftiest = thrift;
    }
    if (best) return best->second;
    return thriftiest ? thriftiest->second : of.possible.front();
  }

  double price_ = 0;       ///< of a node-second, in seconds of turnaround
  bool reserves_ = false;  ///< for one that has found no room
  reservations reservations_;
  std::vector<candidate> candidates_;  ///< kept for its memory
};

}  // namespace

std::unique_ptr<scheduler> make_gain() { return std::make_unique<gain>(); }

}  // namespace ovlp::cluster
