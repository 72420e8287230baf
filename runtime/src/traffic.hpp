// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

/// Objects and totals exchanged with each other node, those of even epochs and those of odd ones: there are never more
/// than two under way, for one change of collections ends before the next begins. Objects may overtake each other, so
/// their mere number would not tell.
/// Thread: any.
class traffic {
 public:
  explicit traffic(std::size_t nodes) : with_(nodes) {}

  void count_sent(node_id to, std::uint32_t epoch) {
    with_[to].sent[epoch % 2].fetch_add(1, std::memory_order_relaxed);
  }
  void count_received(node_id from, std::uint32_t epoch) { with_[from].received[epoch % 2].fetch_add(1); }
  /// The node is launched anew: what its predecessor sent and received does not count.
  void forget(node_id node) {
    for (std::size_t parity : {0u, 1u}) with_[node].sent[parity] = with_[node].received[parity] = 0;
  }

  /// By destination.
  std::vector<std::uint64_t> sent(std::uint32_t epoch) const {
    std::vector<std::uint64_t> all;
    for (counts const& c : with_) all.push_back(c.sent[epoch % 2]);
    return all;
  }
  /// Whether as many have come from each node.
  bool has_received(std::vector<std::uint64_t> const& expected, std::uint32_t epoch) const {
    for (std::size_t from = 0; from < with_.size(); ++from) {
      if (with_[from].received[epoch % 2] < expected[from]) return false;
    }
    return true;
  }

 private:
  struct counts {
    std::array<shared<std::uint64_t>, 2> sent{};
    std::array<shared<std::uint64_t>, 2> received{};
  };
  std::vector<counts> with_;
};

}  // namespace OVLP_CORE
}  // namespace ovlp
