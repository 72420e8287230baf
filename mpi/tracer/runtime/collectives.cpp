// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of MPI, as the program's, blocking and not.
#include <numeric>

#include "buffers.hpp"
#include "entries.hpp"

namespace ovlp::mpi::tracer {
namespace {

std::size_t rank_in(MPI_Comm in) {
  int rank = 0;
  PMPI_Comm_rank(in, &rank);
  return static_cast<std::size_t>(rank);
}
bool is_root(int root, MPI_Comm in) { return static_cast<std::size_t>(root) == rank_in(in) && root >= 0; }

/// A block for each rank.
struct all_blocks {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> counts = {};  ///< as exchange::counts
  std::vector<data> blocks = {};
};
all_blocks all_of(equal_blocks const& of, MPI_Comm in) {
  std::uint64_t const ranks = size_of(in);
  data const all{of.buffer, static_cast<int>(ranks) * of.count, of.type};
  return {ranks * bytes_of({of.buffer, of.count, of.type}), {}, {all}};
}
template <class Blocks>
all_blocks all_of(Blocks const& of, MPI_Comm in) {
  all_blocks all;
  for (std::size_t i = 0; i < size_of(in); ++i) {
    all.blocks.push_back(of[i]);
    all.counts.push_back(bytes_of(all.blocks.back()));
    all.bytes += all.counts.back();
  }
  return all;
}

// What each call moves. MPI_IN_PLACE: what would be sent is what is received.

exchange broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm in) {
  data const all{buffer, count, type};
  if (is_root(root, in)) return {operation::broadcast, root, bytes_of(all), 0};
  return {operation::broadcast, root, 0, bytes_of(all), {}, {all}};
}

template <class Blocks>
exchange gathered(exchange made, bool gets, data const& sent, Blocks const& received, MPI_Comm in) {
  if (gets) {
    all_blocks all = all_of(received, in);
    made.bytes_received = all.bytes;
    made.counts = std::move(all.counts);
    made.results = std::move(all.blocks);
  }
  made.bytes_sent = bytes_of(sent.buffer == MPI_IN_PLACE ? received[rank_in(in)] : sent);
  return made;
}
exchange gather(void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root, MPI_Comm in) {
  return gathered({operation::gather, root}, is_root(root, in), {a, n, t}, equal_blocks{b, m, u}, in);
}
exchange gather_counts(void const* a, int n, MPI_Datatype t, void* b, int const* m, int const* at, MPI_Datatype u,
                       int root, MPI_Comm in) {
  return gathered({operation::gather, root}, is_root(root, in), {a, n, t}, counted_blocks{b, m, at, u}, in);
}
constexpr auto all_gathered = [](data const& sent, auto const& received, MPI_Comm in) {
  return gathered({operation::all_gather}, true, sent, received, in);
};

template <class Blocks>
exchange scattered(Blocks const& sent, data const& received, int root, MPI_Comm in) {
  exchange made{operation::scatter, root};
  if (is_root(root, in)) {
    all_blocks all = all_of(sent, in);
    made.bytes_sent = all.bytes;
    made.counts = std::move(all.counts);
  }
  bool const in_place = received.buffer == MPI_IN_PLACE;
  made.bytes_received = bytes_of(in_place ? sent[rank_in(in)] : received);
  if (!in_place) made.results = {received};
  return made;
}
exchange scatter(void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root, MPI_Comm in) {
  return scattered(equal_blocks{a, n, t}, {b, m, u}, root, in);
}
exchange scatter_counts(void const* a, int const* n, int const* at, MPI_Datatype t, void* b, int m, MPI_Datatype u,
                        int root, MPI_Comm in) {
  return scattered(counted_blocks{a, n, at, t}, {b, m, u}, root, in);
}

constexpr auto exchanged = [](auto const& sent, auto const& received, MPI_Comm in) -> exchange {
  all_blocks const got = all_of(received, in), given = sent.buffer == MPI_IN_PLACE ? got : all_of(sent, in);
  return {operation::all_to_all, 0, given.bytes, got.bytes, given.counts, got.blocks};
};

exchange reduce(void const*, void* result, int count, MPI_Datatype type, MPI_Op, int root, MPI_Comm in) {
  data const all{result, count, type};
  if (!is_root(root, in)) return {operation::reduce, root, bytes_of(all)};
  return {operation::reduce, root, bytes_of(all), bytes_of(all), {}, {all}};
}

/// Of calls where each gives as much as it gets.
template <operation What>
exchange combined(void const*, void* result, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  data const all{result, count, type};
  return {What, 0, bytes_of(all), bytes_of(all), {}, {all}};
}

exchange reduce_scatter(void const*, void* result, int const* counts, MPI_Datatype type, MPI_Op, MPI_Comm in) {
  exchange made{operation::reduce_scatter};
  for (std::size_t i = 0; i < size_of(in); ++i) made.counts.push_back(bytes_of({result, counts[i], type}));
  made.bytes_sent = std::accumulate(made.counts.begin(), made.counts.end(), std::uint64_t{0});
  made.bytes_received = made.counts.at(rank_in(in));
  made.results = {{result, counts[rank_in(in)], type}};
  return made;
}
exchange reduce_scatter_block(void const*, void* result, int count, MPI_Datatype type, MPI_Op, MPI_Comm in) {
  data const own{result, count, type};
  return {operation::reduce_scatter, 0, size_of(in) * bytes_of(own), bytes_of(own), {}, {own}};
}

exchange barrier(MPI_Comm) { return {operation::barrier}; }

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)
using ovlp::mpi::operation;

OVLP_COLLECTIVE(Barrier, Ibarrier, barrier)
OVLP_COLLECTIVE(Bcast, Ibcast, broadcast)
OVLP_COLLECTIVE(Gather, Igather, gather)
OVLP_COLLECTIVE(Gatherv, Igatherv, gather_counts)
OVLP_COLLECTIVE(Scatter, Iscatter, scatter)
OVLP_COLLECTIVE(Scatterv, Iscatterv, scatter_counts)
OVLP_COLLECTIVE(Allgather, Iallgather, one_to_equal<all_gathered>)
OVLP_COLLECTIVE(Allgatherv, Iallgatherv, one_to_counted<all_gathered>)
OVLP_COLLECTIVE(Alltoall, Ialltoall, equal_to_equal<exchanged>)
OVLP_COLLECTIVE(Alltoallv, Ialltoallv, counted_to_counted<exchanged>)
OVLP_COLLECTIVE(Alltoallw, Ialltoallw, (typed_to_typed<exchanged, int>))
OVLP_COLLECTIVE(Reduce, Ireduce, reduce)
OVLP_COLLECTIVE(Allreduce, Iallreduce, combined<operation::all_reduce>)
OVLP_COLLECTIVE(Scan, Iscan, combined<operation::scan>)
OVLP_COLLECTIVE(Exscan, Iexscan, combined<operation::exclusive_scan>)
OVLP_COLLECTIVE(Reduce_scatter, Ireduce_scatter, reduce_scatter)
OVLP_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, reduce_scatter_block)
