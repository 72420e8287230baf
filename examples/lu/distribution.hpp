// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

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

}  // namespace lu
