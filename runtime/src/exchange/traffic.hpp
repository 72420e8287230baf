// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "exchange/by_node.hpp"

namespace ovlp::OVLP_INLINE_CORE {

/// Objects and totals exchanged with each other node, those of even epochs and those of odd ones: there are never more
/// than two under way, for one change of collections ends before the next begins. Objects may overtake each other, so
/// their mere number would not tell.
/// Thread: any.
class traffic {
 public:
  /// In a run of so many nodes.
  explicit traffic(std::size_t nodes) : nodes_(nodes) {}

  void count_sent(node_id to, std::uint32_t epoch) {
    scoped_lock const lock(mutex_);
    ++with_[to].sent[epoch % 2];
  }
  void count_received(node_id from, std::uint32_t epoch) {
    scoped_lock const lock(mutex_);
    ++with_[from].received[epoch % 2];
  }
  /// The node is launched anew: what its predecessor sent and received does not count.
  void forget(node_id node) {
    scoped_lock const lock(mutex_);
    if (counts* const known = with_.find(node)) *known = {};
  }

  /// By destination.
  std::vector<std::uint64_t> sent(std::uint32_t epoch) {
    scoped_lock const lock(mutex_);
    std::vector<std::uint64_t> all(nodes_);
    with_.for_each([&](node_id to, counts const& c) { all[to] = c.sent[epoch % 2]; });
    return all;
  }
  /// Whether as many have come from each node.
  bool has_received(std::vector<std::uint64_t> const& expected, std::uint32_t epoch) {
    scoped_lock const lock(mutex_);
    for (node_id from = 0; from < expected.size(); ++from) {
      if (expected[from] == 0) continue;
      counts const* const known = with_.find(from);
      if (known == nullptr || known->received[epoch % 2] < expected[from]) return false;
    }
    return true;
  }

 private:
  struct counts {
    std::array<std::uint64_t, 2> sent{};
    std::array<std::uint64_t, 2> received{};
  };
  std::size_t const nodes_;
  spin_mutex mutex_;
  by_node<counts> with_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
