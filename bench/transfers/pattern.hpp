// SPDX-License-Identifier: BSD-3-Clause
/// Which transfers both contestants simulate: each node has so many under way, to nodes and of sizes drawn by it alone;
/// when one has ended the next one starts.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace bench {

class pattern {
 public:
  struct drawn {
    std::uint32_t destination;
    std::uint64_t bytes;
  };

  pattern(std::uint32_t nodes, std::uint64_t transfers_of_each) : left_(nodes, transfers_of_each) {
    for (std::uint32_t node = 0; node < nodes; ++node) random_.emplace_back(node + 1);
  }

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(left_.size()); }
  bool has_next(std::uint32_t source) const { return left_[source] > 0; }
  drawn next(std::uint32_t source) {
    --left_[source];
    const std::uint32_t step = 1 + static_cast<std::uint32_t>(random_[source]() % (nodes() - 1));
    return {(source + step) % nodes(), 1 + random_[source]() % 100'000};
  }

 private:
  std::vector<std::uint64_t> left_;
  std::vector<std::mt19937> random_;
};

}  // namespace bench
