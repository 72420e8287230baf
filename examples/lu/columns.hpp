// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/flowgraph/operation.hpp>
#include <ovlp/flowgraph/threads.hpp>

#include "kernels.hpp"

namespace lu {

/// How an n x n matrix is cut into blocks, and its block columns are dealt out in turn over DPS threads: thread t has
/// block columns t, t + threads, ..., side by side.
struct Layout {
  int n = 0;        ///< order of the matrix
  int block = 0;    ///< order of a block; those of the last row and column may be smaller
  int threads = 0;  ///< that share the block columns: from 1 to blocks()

  int blocks() const { return (n - 1) / block + 1; }
  int first(int k) const { return k * block; }                 ///< row where block row k begins, or column
  int rest(int k) const { return n - first(k); }               ///< rows from block row k down; k <= blocks() - 1
  int width(int k) const { return std::min(block, rest(k)); }  ///< columns of block column k, or rows
  int owner(int j) const { return j % threads; }               ///< the thread that has block column j
  int columns_from(int j, int thread) const;                   ///< that `thread` has in block columns j, j + 1, ...
  /// The first of block columns j, j + 1, ... that `thread` has; blocks() or more if there is none.
  int next(int j, int thread) const { return j + (thread + threads - owner(j)) % threads; }
  /// Distance between columns in memory, an odd number of cache lines: with a power of two, a row of the matrix would
  /// crowd into few cache sets.
  int leading() const { return ((n + 7) / 8 | 1) * 8; }
};

/// The state of a DPS thread: its block columns, at first of the matrix, in the end of its factors.
struct Columns {
  Layout layout;
  int thread = 0;
  ovlp::buffer<double> elements;          ///< column-major
  std::vector<ovlp::buffer<int>> pivots;  ///< of those panels (factored block columns) that are known here
  int taken = 0;                          ///< panels that all columns here have taken in

  /// The block at block row i of block column j, which must be this thread's. For kernels: it touches the elements.
  Block at(int i, int j) { return {elements.mutate().data() + place(i, j), layout.leading()}; }
  ConstBlock at(int i, int j) const { return {elements.data() + place(i, j), layout.leading()}; }
  std::size_t place(int i, int j) const;
  ovlp::buffer<int>& pivots_of(int panel) { return pivots[static_cast<std::size_t>(panel)]; }
  ovlp::buffer<int> const& pivots_of(int panel) const { return pivots[static_cast<std::size_t>(panel)]; }
};

using Here = ovlp::here<Columns>;
using Matrix = ovlp::buffer<double>;  ///< a column-major block that travels

/// Elements to be written before they are read.
Matrix new_matrix(int rows, int columns);
/// A copy of the block that `block()` tells, one kernel. It is asked inside, where elements may be touched.
template <class State, class Place>
Matrix copy_of(ovlp::here<State>& here, int rows, int columns, Place block) {
  Matrix made = new_matrix(rows, columns);
  here.kernel("lu.copy", {rows, columns}, [&] { copy(rows, columns, block(), {made.mutate().data(), rows}); });
  return made;
}

/// The collection that holds the matrix; its threads are dealt out in turn over nodes 0 .. nodes - 1.
ovlp::threads<Columns> make_columns(Layout const& layout, std::size_t nodes);

// What operations do with the columns of their thread; each is one kernel.

/// Factors block column k from its diagonal block down: it becomes panel k, whose pivots are then known here.
void factor(Here& here, int k);
/// Exchanges rows as panel k demands, in `columns` columns from block column j on.
void exchange_rows(Here& here, int k, int j, int columns);
/// A copy of `rows` rows of block column j, from block row i on, that can travel.
Matrix extract(Here& here, int i, int j, int rows);

}  // namespace lu
