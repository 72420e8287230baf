// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/graph.hpp>

#include "columns.hpp"

namespace lu {

// clang-format off
struct Product { int level, row, column; Matrix l21, t12; };  ///< to be multiplied
struct Minus { int level, row, column; Matrix product; };     ///< what is to be subtracted at this place
// clang-format on

/// a b, of orders m x k and k x n: one kernel.
template <class State>
Matrix multiply(ovlp::here<State>& here, int m, int n, int k, Matrix const& a, Matrix const& b) {
  Matrix product = new_matrix(m, n);
  here.kernel("lu.gemm", {m, n, k}, [&] {
    gemm(m, n, k, 1, {a.data(), m}, {b.data(), k}, 0, {product.mutate().data(), m});
  });
  return product;
}

/// Column blocks that wait for the line blocks that they are to be multiplied with.
struct Stored {
  Matrix block;
  int uses;  ///< line blocks that are still to come
};
using Store = std::map<std::pair<std::int64_t, int>, Stored>;  ///< by product and part

/// The graph of the paper's figure 7, in the place of a multiplication: column blocks of `size` columns are stored,
/// dealt out over the stores; then line blocks of `size` rows are sent to each of them.
ovlp::graph<Product, Minus> sub_block_graph(ovlp::threads<> const& multipliers, ovlp::threads<Store> const& stores,
                                            Layout const& layout, int size);

}  // namespace lu
