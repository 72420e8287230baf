// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace lu {

/// A block of a column-major matrix: its upper left element, and the distance from one column to the next.
template <class Element>
struct BlockOf {
  Element* first;
  int leading;

  Element* column(int j) const { return first + static_cast<std::ptrdiff_t>(j) * leading; }
  BlockOf below(int rows) const { return {first + rows, leading}; }
  operator BlockOf<Element const>() const { return {first, leading}; }  // NOLINT(google-explicit-constructor)
};
using Block = BlockOf<double>;
using ConstBlock = BlockOf<double const>;

/// BLAS computes in the thread that calls it: what is parallel is the graph.
void use_one_blas_thread();

// The bodies of the kernels: BLAS and LAPACK in the forms that a factorization needs. Sizes as there: m rows, n
// columns, k the inner dimension. Pivots as there: row i was exchanged with row pivots[i], both counted from 1.

/// a := its factors L and U in one, m >= n. A zero pivot is no error: U then has it on its diagonal.
void getrf(int m, int n, Block a, std::span<int> pivots);
/// Exchanges rows of a, in n columns, as the pivots say.
void laswp(int n, Block a, std::span<int const> pivots);
/// b := L^-1 b, where L is the unit lower triangle of l.
void trsm(int m, int n, ConstBlock l, Block b);
/// b := L b, where L is the unit lower triangle of l.
void trmm(int m, int n, ConstBlock l, Block b);
/// c := alpha a b + beta c
void gemm(int m, int n, int k, double alpha, ConstBlock a, ConstBlock b, double beta, Block c);
/// c := c - a
void subtract(int m, int n, ConstBlock a, Block c);
/// b := a
void copy(int m, int n, ConstBlock a, Block b);

}  // namespace lu
