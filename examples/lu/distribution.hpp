// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

namespace lu {

/// The place of a product in the list of all products of a factorization: level by level, in a level column by column.
///
/// Dealing them out by this number modulo the number of multiplication threads is even to within one product, for any
/// number of blocks and threads: over the whole factorization, within each level, and within each column of a level,
/// since each of these is a range of consecutive numbers. (row * blocks + column is not: where threads and blocks have
/// a common factor, few of its residues occur. in_turn() starts each level at thread 0, which so gets each remainder.)
/// It does not depend on the order in which columns come to be solved.
///
/// Shape: 0 <= level < row, column < blocks.
constexpr std::int64_t product_number(int blocks, int level, int row, int column) {
  // A level with m rows of blocks below its panel has m * m products; those before it have more, up to blocks - 1.
  auto const squares_up_to = [](std::int64_t m) { return m * (m + 1) * (2 * m + 1) / 6; };
  std::int64_t const m = blocks - 1 - level;
  std::int64_t const before = squares_up_to(blocks - 1) - squares_up_to(m);
  return before + (column - level - 1) * m + (row - level - 1);
}

/// Deals columns out over nodes 0 .. nodes - 1, from where they are, so that each has as many of those that are still
/// computed with (from column `active` on) as any other, to within one, and no more columns move than that takes.
/// Those that are done move only if their node goes.
inline void deal_again(std::vector<ovlp::node_id>& node_of, std::size_t active, std::size_t nodes) {
  std::vector<std::size_t> active_on(nodes), all_on(nodes);
  for (std::size_t j = 0; j < node_of.size(); ++j) {
    if (node_of[j] >= nodes) continue;
    ++all_on[node_of[j]];
    if (j >= active) ++active_on[node_of[j]];
  }
  auto const least = [](std::vector<std::size_t> const& on) { return std::ranges::min_element(on) - on.begin(); };
  for (std::size_t j = 0; j < node_of.size(); ++j) {
    if (node_of[j] < nodes) continue;
    auto const to = static_cast<std::size_t>(least(j >= active ? active_on : all_on));
    node_of[j] = static_cast<ovlp::node_id>(to);
    ++all_on[to];
    if (j >= active) ++active_on[to];
  }
  for (;;) {
    auto const from = static_cast<std::size_t>(std::ranges::max_element(active_on) - active_on.begin());
    auto const to = static_cast<std::size_t>(least(active_on));
    if (active_on[from] <= active_on[to] + 1) return;
    std::size_t j = node_of.size() - 1;  // the last is needed last
    while (node_of[j] != from) --j;
    node_of[j] = static_cast<ovlp::node_id>(to);
    --active_on[from];
    ++active_on[to];
  }
}

}  // namespace lu
