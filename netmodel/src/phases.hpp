// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

#include <ovlp/base/expects.hpp>

#include "node_set.hpp"

namespace ovlp::net {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of a node: where transfers leave it and where they enter.
enum side : std::uint8_t { out, in };

/// What ends so soon after an instant ends then: rounding must not tell apart what ends at one instant
/// (docs/decisions/0015).
inline double rounding_s(double instant_s) { return 1e-13 * instant_s; }

/// When the latency phase of a transfer ends that starts now.
inline double ready_s(transfer const& starting, double now_s, double latency_s) {
  return std::max(now_s, starting.handed_over_s.value_or(now_s) + latency_s);
}

struct started_transfer {
  transfer what;
  std::uint64_t sequence;  ///< in the order of starts
};

/// The transfers in their latency phase. Where it is as long for all, and none has waited, they leave it in the order
/// of their starts; those that leave it before one that has started earlier are in a heap.
class latency_phase {
 public:
  void push(double ready_s, transfer const& what) {
    starting const pushed{ready_s, {what, sequence_++}};
    if (ready_s < last_ready_s_) [[unlikely]] {
      overtaking_.push(pushed);
      return;
    }
    last_ready_s_ = ready_s;
    if (gone_ > 64 && 2 * gone_ > transfers_.size()) {  // room is reused; each moves once or less on the average
      transfers_.erase(transfers_.begin(), transfers_.begin() + static_cast<std::ptrdiff_t>(gone_));
      gone_ = 0;
    }
    transfers_.push_back(pushed);
  }

  /// When the first one leaves; infinity if there is none.
  double first_ready_s() const {
    if (overtaking_.empty()) [[likely]]
      return in_order_ready_s();
    return std::min(in_order_ready_s(), overtaking_.top().ready_s);
  }

  started_transfer pop() {
    if (!overtaking_.empty() && overtaking_.top().ready_s < in_order_ready_s()) [[unlikely]] {
      started_transfer const first = overtaking_.top().what;
      overtaking_.pop();
      return first;
    }
    started_transfer const first = transfers_[gone_].what;
    if (++gone_ == transfers_.size()) {
      transfers_.clear();
      gone_ = 0;
    }
    return first;
  }

 private:
  struct starting {
    double ready_s;
    started_transfer what;
    bool operator>(starting const& o) const {
      return ready_s != o.ready_s ? ready_s > o.ready_s : what.sequence > o.what.sequence;
    }
  };
  double in_order_ready_s() const {
    if (transfers_.empty()) return infinity;
    return transfers_[gone_].ready_s;
  }

  std::uint64_t sequence_ = 0;  // of the next one
  std::vector<starting> transfers_;
  std::size_t gone_ = 0;  // how many at the front have left
  double last_ready_s_ = -infinity;
  // Never as early as one of transfers_ that has started later, so of two that leave at once this one is the younger.
  std::priority_queue<starting, std::vector<starting>, std::greater<>> overtaking_;
};

/// What advance() returns: the transfers that have ended, those of one instant in the order of their starts.
class completion_list {
 public:
  void clear() { completions_.clear(); }

  /// One has ended in the present instant. `sequence` is its place among all in the order of starts.
  void add(std::uint64_t sequence, std::uint64_t id) { instant_.push_back({sequence, id}); }

  void end_instant(double now_s) {
    if (instant_.size() > 1) std::sort(instant_.begin(), instant_.end());
    for (auto const& [sequence, id] : instant_) completions_.push_back({id, now_s});
    instant_.clear();
  }

  std::span<completion const> all() const { return completions_; }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> instant_;  // sequence, identifier
  std::vector<completion> completions_;
};

/// What the networks of links have in common: transfers start, pass their latency, and end in the order of their
/// starts; they change nodes.
class phased_network : public network, public phase_counts {
 public:
  void start(transfer const& started, double now_s) override;
  phase_counts* phases() final { return this; }
  std::span<std::uint32_t const> touched_nodes() const final { return touched_.members(); }
  void clear_touched_nodes() final { touched_.clear(); }

 protected:
  phased_network(std::vector<node_link> const& links, double latency_s);

  void check_node(std::uint32_t node) const { base::require(node < nodes_, "network: no such node"); }
  void check_time(double to_s) const {
    base::require(to_s < infinity && to_s >= now_s_, "network: time goes on, and is finite");
  }

  std::size_t const nodes_;
  double const latency_s_;
  double now_s_ = -infinity;
  latency_phase starting_;
  completion_list completions_;
  node_set touched_;

 private:
  double last_start_s_ = -infinity;
};

}  // namespace ovlp::net
