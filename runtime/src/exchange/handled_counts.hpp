// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

// How the node that opened a side group learns when all its objects have been handled, on whatever nodes that was.
//
// A node tells of each object at once, and keeps nothing. One that has told of many says that it counts from now on,
// and is then told after how many it shall tell again. Of what is missing, all who count may keep half to themselves;
// so one of them is always heard of again, and when little is missing each object is told of at once. Messages: as many
// as objects for small groups, nodes times the logarithm of the objects for large ones; and each may come at any time.
// Nothing depends on how busy a node is. The problem is known as distributed trigger counting.

/// After how many objects a node that counts tells of them. 0: not before it is told otherwise.
using batch_size = std::uint64_t;

/// At the node that opened the group. Synchronized by who keeps it, but for add_here().
class handled_total {
 public:
  /// One has been handled here. Returns whether something may follow from that: all have been, or others count. As
  /// soon as it is counted the group may be forgotten, with this: so one operation counts and tells both. Thread: any.
  bool add_here() {
    std::int64_t const before = state_.fetch_add(one);
    return balance_of(before) == -1 || (before & others_count) != 0;
  }
  /// So many have been handled elsewhere.
  void add(std::uint64_t count) { state_ += one * static_cast<std::int64_t>(count); }
  /// So many have been posted, and no more will be.
  void set_total(std::uint64_t total) {
    total_ = total;
    state_ += one * (more_than_any - static_cast<std::int64_t>(total));
  }
  /// That node counts from now on, or does not any more.
  void counts(node_id node) {
    counts_no_more(node);  // it has been told to stop, by a message that overtook others
    counting_.push_back({node, 0});
    show_who_counts();
  }
  void counts_no_more(node_id node) {
    std::erase_if(counting_, [&](counter const& c) { return c.node == node; });
    show_who_counts();
  }

  std::int64_t handled() const { return balance() + (total_ ? static_cast<std::int64_t>(*total_) : more_than_any); }
  std::optional<std::uint64_t> total() const { return total_; }
  bool complete() const { return total_ && balance() == 0; }

  /// After any of these: calls `tell(node, batch)` for each node that is to tell after as many from now on; 1: it
  /// counts no more.
  template <class Tell>
  void settle(Tell const& tell) {
    if (!total_ || counting_.empty()) return;
    auto const missing = static_cast<std::uint64_t>(-balance());
    batch_size const wanted = std::max<std::uint64_t>(1, missing / (2 * counting_.size()));
    std::uint64_t kept = 0;  // at most, by all together, with nobody hearing of it
    for (counter const& c : counting_) kept += (c.batch == 0 ? wanted : c.batch) - 1;
    for (counter& c : counting_) {
      bool const too_many = kept >= missing && c.batch > wanted;
      if (c.batch != 0 && !too_many && missing > 0) continue;
      c.batch = wanted;
      tell(c.node, wanted);
    }
    std::erase_if(counting_, [](counter const& c) { return c.batch == 1; });
    show_who_counts();
  }

 private:
  struct counter {
    node_id node;
    batch_size batch;  ///< 0: it has not been told yet
  };
  // The state: what has been handled, less the total once that is known, and in the lowest bit whether others count.
  static constexpr std::int64_t others_count = 1, one = 2;
  static constexpr std::int64_t more_than_any = std::int64_t{1} << 61;
  static constexpr std::int64_t balance_of(std::int64_t state) { return state >> 1; }
  std::int64_t balance() const { return balance_of(state_.load()); }
  void show_who_counts() {
    bool const others = !counting_.empty(), shown = (state_.load() & others_count) != 0;  // nobody else changes it
    if (others != shown) state_ += others ? others_count : -others_count;
  }

  shared<std::int64_t> state_{-more_than_any * one};
  std::optional<std::uint64_t> total_;
  std::vector<counter> counting_;
};

/// At a node that handles objects of groups of others. Not synchronized.
class handled_elsewhere {
 public:
  /// What is to be told of; `begins`: from now on it counts.
  struct news {
    std::uint64_t count = 0;
    bool begins = false;
  };
  /// One object of the group has been handled.
  news add(group_id group) {
    if (auto const known = counted_.find(group); known != counted_.end()) {
      counted& c = known->second;
      ++c.count;
      return {c.batch != 0 && c.count >= c.batch ? std::exchange(c.count, 0) : 0};
    }
    lately& before = lately_[group % lately_.size()];
    if (before.group != group) before = {group, 0};
    if (++before.count < most_told) return {1};
    before = {};
    counted_.emplace(group, counted{});
    return {1, true};
  }
  /// The opener's node says so. Returns how many are to be told of.
  std::uint64_t set_batch(group_id group, batch_size batch) {
    auto const known = counted_.find(group);
    if (known == counted_.end()) return 0;
    std::uint64_t const count = std::exchange(known->second.count, 0);
    batch_size& before = known->second.batch;
    before = before == 0 ? batch : std::min(before, batch);  // a greater one is older, and has been overtaken
    if (batch == 1) counted_.erase(known);
    return count;
  }
  /// Those that it counts, when the node is to leave: calls tell(group, count), once for each group.
  template <class Tell>
  void leave(Tell const& tell) {
    for (auto& [group, c] : counted_) {
      if (!std::exchange(c.leaves, true)) tell(group, std::exchange(c.count, 0));
    }
  }
  /// It counts nothing that it has not told.
  bool empty() const { return counted_.empty(); }

 private:
  static constexpr std::uint32_t most_told = 16;  ///< one by one
  struct counted {
    std::uint64_t count = 0;  ///< not told of
    batch_size batch = 0;
    bool leaves = false;
  };
  struct lately {
    group_id group = 0;
    std::uint32_t count = 0;
  };
  std::unordered_map<group_id, counted> counted_;
  std::array<lately, 64> lately_{};  ///< groups of which it has told; what another one overwrites is told one by one
};

}  // namespace ovlp::OVLP_INLINE_CORE
