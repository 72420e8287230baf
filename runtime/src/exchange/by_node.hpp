// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// What a node knows of others: nothing of those that it has had nothing to do with. A table with open addressing, at
/// most half full. A value moves when another one is made.
template <class Value>
class by_node {
 public:
  /// Made when it is first asked for.
  Value& operator[](node_id node) {
    if (Value* const known = find(node)) return *known;
    if (2 * (size_ + 1) > slots_.size()) grow();
    ++size_;
    slot& made = slot_of(node);
    made.node = node;
    return made.value;
  }
  /// nullptr: it has never been asked for.
  Value* find(node_id node) {
    if (slots_.empty()) return nullptr;
    slot& found = slot_of(node);
    return found.node == node ? &found.value : nullptr;
  }
  /// Calls `function(node, value)` for each, in no particular order.
  template <class Function>
  void for_each(Function const& function) const {
    for (slot const& s : slots_) {
      if (s.node != nobody) function(s.node, s.value);
    }
  }

 private:
  static constexpr node_id nobody = ~node_id{0};
  struct slot {
    node_id node = nobody;
    Value value{};
  };
  /// Where it is, or would be. There is room.
  slot& slot_of(node_id node) {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = (node * std::size_t{0x9e3779b97f4a7c15u} >> 32) & mask;
    while (slots_[at].node != node && slots_[at].node != nobody) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<slot> before = std::exchange(slots_, std::vector<slot>(slots_.empty() ? 2 : 2 * slots_.size()));
    for (slot& s : before) {
      if (s.node != nobody) slot_of(s.node) = std::move(s);
    }
  }

  std::vector<slot> slots_;  ///< a power of two, or none
  std::size_t size_ = 0;
};

}  // namespace ovlp::OVLP_INLINE_CORE
