// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {
namespace {

/// Of at most so many; but no fewer than it needs.
node_count share_for(job const& of, node_count most) { return std::max(of.largest(most), of.possible.front()); }

/// All that are there get equal shares, as far as they can hold them; those that wait join in their order.
/// Source: McCann, Vaswani, Zahorjan, A dynamic processor allocation policy for multiprogrammed shared-memory
/// multiprocessors (1993), there for processors.
class equipartition final : public scheduler {
 public:
  void decide(known const& now, std::vector<order>& orders) override {
    std::size_t const joining = who_joins(now);
    auto const joins = now.waiting.first(joining);
    node_count const share = share_of(now, joins);
    node_count free = now.free;
    for (running_job const& one : now.running) {
      node_count const nodes = share_for(*one.what, share);
      bool const grows = nodes > one.target;
      if (nodes == one.target || (grows && (!one.at_border || nodes > one.most(free)))) continue;
      orders.push_back({order::kind_type::hold, one.number, nodes});
      if (grows) free -= nodes - one.target;
    }
    for (waiting_job const& one : joins) {
      node_count const nodes = share_for(*one.what, std::min(share, free));
      if (nodes > free) return;
      orders.push_back({order::kind_type::start, one.number, nodes});
      free -= nodes;
    }
  }

 private:
  /// How many of those that wait find room beside the others if all hold as few nodes as they can.
  static std::size_t who_joins(known const& now) {
    std::uint64_t least = 0;
    for (running_job const& one : now.running) least += one.what->possible.front();
    std::size_t joining = 0;
    for (waiting_job const& one : now.waiting) {
      least += one.what->possible.front();
      if (least > now.nodes) break;
      ++joining;
    }
    return joining;
  }

  static node_count share_of(known const& now, std::span<waiting_job const> joins) {
    auto const fits = [&](node_count share) {
      std::uint64_t held = 0;
      for (running_job const& one : now.running) held += share_for(*one.what, share);
      for (waiting_job const& one : joins) held += share_for(*one.what, share);
      return held <= now.nodes;
    };
    node_count least = 0, beyond = now.nodes + 1;
    while (beyond - least > 1) {
      node_count const middle = least + (beyond - least) / 2;
      (fits(middle) ? least : beyond) = middle;
    }
    return least;
  }
};

}  // namespace

std::unique_ptr<scheduler> make_equipartition() { return std::make_unique<equipartition>(); }

}  // namespace ovlp::cluster
