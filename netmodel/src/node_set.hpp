// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ovlp::net {

/// Nodes or ports, each once, in the order in which they came. Emptied in time proportional to what it holds.
class node_set {
 public:
  explicit node_set(std::size_t nodes) : is_in_(nodes), members_(nodes) {}

  void insert(std::uint32_t node) {
    if (is_in_[node] != 0) return;
    is_in_[node] = 1;
    members_[size_++] = node;
  }
  void clear() {
    for (std::uint32_t node : members()) is_in_[node] = 0;
    size_ = 0;
  }
  std::span<std::uint32_t const> members() const { return {members_.data(), size_}; }

 private:
  std::vector<char> is_in_;
  std::vector<std::uint32_t> members_;  // as many as there are nodes: nothing grows on the way
  std::size_t size_ = 0;
};

}  // namespace ovlp::net
