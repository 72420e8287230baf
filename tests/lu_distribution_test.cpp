// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
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

TEST_CASE("columns are dealt out again evenly, and only those move that must") {
  unsigned const seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::size_t const columns = 1 + random() % 40;
    std::vector<ovlp::node_id> node_of;
    for (std::size_t j = 0; j < columns; ++j) node_of.push_back(static_cast<ovlp::node_id>(j % 8));
    for (std::size_t active = 1; active < columns; active += 1 + random() % 5) {
      std::size_t const nodes = 1 + random() % 8;
      std::vector<ovlp::node_id> const before = node_of;
      lu::deal_again(node_of, active, nodes);
      std::vector<std::size_t> stayed(nodes), now(nodes);
      std::size_t moved = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        REQUIRE(node_of[j] < nodes);
        if (j < active) {
          CHECK((node_of[j] == before[j] || before[j] >= nodes));
          continue;
        }
        ++now[node_of[j]];
        if (before[j] < nodes) ++stayed[before[j]];
        if (before[j] < nodes && node_of[j] != before[j]) ++moved;
      }
      auto const [least, most] = std::minmax_element(now.begin(), now.end());
      CHECK(*most - *least <= 1);
      std::size_t too_many = 0;  // beyond what their nodes can keep
      for (std::size_t n = 0; n < nodes; ++n) too_many += stayed[n] > *most ? stayed[n] - *most : 0;
      std::size_t too_few = 0;
      for (std::size_t n = 0; n < nodes; ++n) too_few += stayed[n] < *least ? *least - stayed[n] : 0;
      std::size_t const came = columns - active - std::accumulate(stayed.begin(), stayed.end(), std::size_t{0});
      CHECK(moved >= too_many);
      CHECK(moved <= std::max(too_many, too_few > came ? too_few - came : 0));
    }
  }
}
