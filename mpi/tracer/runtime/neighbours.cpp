// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of MPI between neighbours in a topology, as the program's, blocking and not: a message with
// each.
#include <vector>

#include "buffers.hpp"
#include "entries.hpp"
#include "neighbours.hpp"

namespace ovlp::mpi::tracer {
namespace {

/// In the order of their blocks in buffers.
struct neighbours {
  std::vector<neighbour> to, from;
};

neighbours of_cartesian(MPI_Comm in) {
  neighbours all;
  int dimensions = 0;
  PMPI_Cartdim_get(in, &dimensions);
  for (int d = 0; d < dimensions; ++d) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    PMPI_Cart_shift(in, d, 1, &below, &above);
    // Both may be the same rank, which gets several messages: which block is which, MPIs see in two ways.
#if defined(OPEN_MPI)
    int const down = 2 * d, up = 2 * d + 1;  // what goes down comes from above
#else
    int const down = 0, up = 0;  // in the order of blocks
#endif
    all.to.insert(all.to.end(), {{below, down}, {above, up}});
    all.from.insert(all.from.end(), {{below, up}, {above, down}});
  }
  return all;
}

std::vector<neighbour> with_one_tag(std::vector<int> const& ranks) {
  std::vector<neighbour> all;
  for (int const rank : ranks) all.push_back({rank, 0});
  return all;
}

neighbours of_graph(MPI_Comm in) {
  int rank = 0, count = 0;
  PMPI_Comm_rank(in, &rank);
  PMPI_Graph_neighbors_count(in, rank, &count);
  std::vector<int> ranks(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(in, rank, count, ranks.data());
  return {with_one_tag(ranks), with_one_tag(ranks)};
}

neighbours of_distributed_graph(MPI_Comm in) {
  int sources = 0, destinations = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(in, &sources, &destinations, &weighted);
  // MPI may write a weight for each, also where there are none.
  std::vector<int> from(static_cast<std::size_t>(sources)), to(static_cast<std::size_t>(destinations));
  std::vector<int> from_weights(from.size() + 1), to_weights(to.size() + 1);
  PMPI_Dist_graph_neighbors(in, sources, from.data(), from_weights.data(), destinations, to.data(), to_weights.data());
  return {with_one_tag(to), with_one_tag(from)};
}

neighbours neighbours_in(MPI_Comm in) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(in, &kind);
  if (kind == MPI_CART) return of_cartesian(in);
  if (kind == MPI_GRAPH) return of_graph(in);
  if (kind == MPI_DIST_GRAPH) return of_distributed_graph(in);
  return {};
}

/// One block for all.
struct same {
  data block;
  data operator[](std::size_t) const { return block; }
};

constexpr auto parts_of = [](auto const& sent, auto const& received, MPI_Comm in) {
  neighbours const others = neighbours_in(in);
  std::vector<part_of_exchange> all;
  for (std::size_t i = 0; i < others.from.size(); ++i) all.push_back({received[i], others.from[i], false});
  for (std::size_t i = 0; i < others.to.size(); ++i) all.push_back({sent[i], others.to[i], true});
  return all;
};
constexpr auto parts_of_same = [](data const& sent, auto const& received, MPI_Comm in) {
  return parts_of(same{sent}, received, in);
};

}  // namespace

neighbour_counts count_neighbours(MPI_Comm in) {
  neighbours const all = neighbours_in(in);
  return {all.to.size(), all.from.size()};
}

}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)

#define OVLP_NEIGHBOURS(name, moves) OVLP_COLLECTIVE(Neighbor_##name, Ineighbor_##name, moves)
OVLP_NEIGHBOURS(allgather, one_to_equal<parts_of_same>)
OVLP_NEIGHBOURS(allgatherv, one_to_counted<parts_of_same>)
OVLP_NEIGHBOURS(alltoall, equal_to_equal<parts_of>)
OVLP_NEIGHBOURS(alltoallv, counted_to_counted<parts_of>)
OVLP_NEIGHBOURS(alltoallw, (typed_to_typed<parts_of, MPI_Aint>))
