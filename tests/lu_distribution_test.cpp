// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../examples/lu/distribution.hpp"

namespace {

/// How many products each of `threads` threads gets.
class tally {
 public:
  explicit tally(int threads) : counts_(static_cast<std::size_t>(threads)) {}
  void count(std::int64_t number) { ++counts_[static_cast<std::size_t>(number) % counts_.size()]; }
  bool even() const {
    auto const [least, most] = std::minmax_element(counts_.begin(), counts_.end());
    return *most - *least <= 1;
  }

 private:
  std::vector<int> counts_;
};

}  // namespace

TEST_CASE("products are numbered without gaps, level by level and column by column") {
  for (int blocks = 1; blocks <= 40; ++blocks) {
    CAPTURE(blocks);
    std::int64_t next = 0;
    bool in_order = true;
    for (int level = 0; level < blocks; ++level) {
      for (int column = level + 1; column < blocks; ++column) {
        for (int row = level + 1; row < blocks; ++row) {
          in_order = in_order && lu::product_number(blocks, level, row, column) == next++;
        }
      }
    }
    CHECK(in_order);
  }
}

TEST_CASE("no multiplication thread gets two products more than another, in all, in a level or in a column") {
  for (int blocks = 2; blocks <= 24; ++blocks) {
    for (int threads = 1; threads <= 2 * blocks; ++threads) {
      CAPTURE(blocks);
      CAPTURE(threads);
      tally all(threads);
      bool even = true;
      for (int level = 0; level < blocks; ++level) {
        tally of_level(threads);
        for (int column = level + 1; column < blocks; ++column) {
          tally of_column(threads);
          for (int row = level + 1; row < blocks; ++row) {
            std::int64_t const number = lu::product_number(blocks, level, row, column);
            for (tally* t : {&all, &of_level, &of_column}) t->count(number);
          }
          even = even && of_column.even();
        }
        even = even && of_level.even();
      }
      CHECK(even);
      CHECK(all.even());
    }
  }
}

TEST_CASE("the number of products does not overflow for matrices that no machine holds") {
  int const blocks = 1'000'000;
  std::int64_t const m = blocks - 1;
  CHECK(lu::product_number(blocks, blocks - 2, blocks - 1, blocks - 1) == m * (m + 1) * (2 * m + 1) / 6 - 1);
}
