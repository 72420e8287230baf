// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ovlp::net {

/// From a pair of nodes to a number. A hash table with linear probing; no order is ever taken from it.
/// Cost: O(1); memory for as many pairs as there have been at once.
class pair_table {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  pair_table() : slots_(std::size_t{1} << bits_) {}

  /// The number of the pair; `none` if it is new, and then the caller sets it.
  std::uint32_t& operator()(std::uint32_t source, std::uint32_t destination);
  void erase(std::uint32_t source, std::uint32_t destination);

 private:
  struct slot {
    std::uint64_t key = unused;
    std::uint32_t number = none;
  };
  static constexpr std::uint64_t unused = ~std::uint64_t{0};  // would be a pair of equal nodes

  static std::uint64_t key_of(std::uint32_t source, std::uint32_t destination) {
    return std::uint64_t{source} << 32 | destination;
  }
  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15 >> (64 - bits_));  // Fibonacci hashing
  }
  std::size_t next(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }
  /// Where the key is, or would be.
  std::size_t find(std::uint64_t key) const;
  void grow();

  int bits_ = 6;
  std::size_t used_ = 0;
  std::vector<slot> slots_;
};

}  // namespace ovlp::net
