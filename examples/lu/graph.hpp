// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <ovlp/base/held_nodes.hpp>
#include <ovlp/flowgraph/graph.hpp>

#include "columns.hpp"

namespace lu {

struct Order {};     ///< starts a factorization of the matrix in the columns
struct Factored {};  ///< the columns now hold the factors

/// What lives where.
struct Allocation {
  std::size_t multipliers;       ///< threads
  std::size_t multiplier_nodes;  ///< they live on nodes 0 .. multiplier_nodes - 1
  std::size_t column_nodes;      ///< nodes 0 .. column_nodes - 1 hold the matrix
};
/// How a factorization uses the nodes that a run holds.
struct Sharing {
  std::size_t multipliers_per_node = 1;
  std::size_t most_column_nodes = 1;
  Allocation operator()(ovlp::held_nodes const& held) const;
};

/// The variants of the paper's graph.
struct Variant {
  bool pipelined = false;  ///< streams let levels overlap; else each level ends before the next begins
  std::size_t window = 0;  ///< products of a level in circulation at once; 0: no bound
  int sub_block = 0;  ///< products are cut into line and column blocks of so many rows and columns; 0: they are not
  /// After these iterations, from 1, other nodes may be held: once the products of the iteration have all been posted
  /// (pipelined), or have all been subtracted (basic).
  std::set<int> borders = {};
  Sharing sharing = {};
  std::size_t most_multipliers = 0;  ///< that there may be after a border
};
/// The graph of the paper (figure 5, without the pictures). One DPS thread per block column.
/// Products of blocks go to multiplying threads, dealt out in turn over their nodes: `first`, until a border.
/// Source: the paper, sections 5 and 6.
ovlp::graph<Order, Factored> paper_graph(ovlp::threads<Columns> const& columns, Allocation const& first,
                                         Layout const& layout, Variant const& variant);

/// The graph that ships panels instead of products: each product is computed where its column lives.
ovlp::graph<Order, Factored> owner_graph(ovlp::threads<Columns> const& columns, Layout const& layout);

// Before and after: each does something in all threads of the collection.

// clang-format off
struct Seed { std::uint64_t value; };
struct Filled {};
struct Checksum { std::uint64_t value; };
// clang-format on

/// Fills the columns with the matrix of this seed.
ovlp::graph<Seed, Filled> fill_graph(ovlp::threads<Columns> const& columns);
/// The checksum of the factors.
ovlp::graph<Factored, Checksum> checksum_graph(ovlp::threads<Columns> const& columns);
/// Brings the factors to node 0: the columns of each thread.
ovlp::graph<Factored, std::vector<Columns>> gather_graph(ovlp::threads<Columns> const& columns);

}  // namespace lu
