// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of MPI, as the program's, blocking and not.
#include <numeric>

#include <ovlp/instrument/entry.hpp>

#include "call.hpp"

namespace ovlp::mpi::tracer {
namespace {

std::uint64_t size_of(MPI_Comm in) {
  int size = 0, between_groups = 0;
  PMPI_Comm_test_inter(in, &between_groups);
  between_groups != 0 ? PMPI_Comm_remote_size(in, &size) : PMPI_Comm_size(in, &size);
  return static_cast<std::uint64_t>(size);
}

std::size_t rank_in(MPI_Comm in) {
  int rank = 0;
  PMPI_Comm_rank(in, &rank);
  return static_cast<std::size_t>(rank);
}
bool is_root(int root, MPI_Comm in) { return static_cast<std::size_t>(root) == rank_in(in) && root >= 0; }

std::uint64_t bytes(std::uint64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return count * static_cast<std::uint64_t>(size);
}
std::uint64_t bytes(int count, MPI_Datatype type) { return bytes(static_cast<std::uint64_t>(count), type); }

std::vector<std::uint64_t> bytes(int const* counts, MPI_Datatype type, MPI_Comm in) {
  std::vector<std::uint64_t> each(size_of(in));
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = bytes(counts[i], type);
  return each;
}
std::uint64_t sum(std::vector<std::uint64_t> const& each) {
  return std::accumulate(each.begin(), each.end(), std::uint64_t{0});
}

/// What comes into a buffer: so much from each rank.
std::vector<data> from_each(void* buffer, int count, MPI_Datatype type, MPI_Comm in) {
  return {{buffer, static_cast<int>(size_of(in)) * count, type}};
}
std::vector<data> from_each(void* buffer, int const* counts, int const* places, MPI_Datatype type, MPI_Comm in) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  std::vector<data> parts;
  for (std::size_t i = 0; i < size_of(in); ++i)
    parts.push_back({static_cast<char*>(buffer) + places[i] * extent, counts[i], type});
  return parts;
}

// What each call moves. MPI_IN_PLACE: what would be sent is what is received.

exchange broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm in) {
  bool const sends = is_root(root, in);
  std::uint64_t const all = bytes(count, type);
  exchange what{operation::broadcast, root, sends ? all : 0, sends ? 0 : all};
  if (!sends) what.results = {{buffer, count, type}};
  return what;
}

exchange gather(void const* sent, int sent_count, MPI_Datatype sent_type, void* received, int count, MPI_Datatype type,
                int root, MPI_Comm in) {
  exchange what{operation::gather, root, sent == MPI_IN_PLACE ? bytes(count, type) : bytes(sent_count, sent_type)};
  if (is_root(root, in)) {
    what.bytes_received = size_of(in) * bytes(count, type);
    what.results = from_each(received, count, type, in);
  }
  return what;
}
exchange gather_counts(void const* sent, int sent_count, MPI_Datatype sent_type, void* received, int const* counts,
                       int const* places, MPI_Datatype type, int root, MPI_Comm in) {
  exchange what{operation::gather, root};
  if (is_root(root, in)) {
    what.counts = bytes(counts, type, in);
    what.results = from_each(received, counts, places, type, in);
  }
  what.bytes_received = sum(what.counts);
  what.bytes_sent = sent == MPI_IN_PLACE ? what.counts.at(rank_in(in)) : bytes(sent_count, sent_type);
  return what;
}

exchange scatter(void const*, int sent_count, MPI_Datatype sent_type, void* received, int count, MPI_Datatype type,
                 int root, MPI_Comm in) {
  exchange what{operation::scatter, root, is_root(root, in) ? size_of(in) * bytes(sent_count, sent_type) : 0,
                received == MPI_IN_PLACE ? bytes(sent_count, sent_type) : bytes(count, type)};
  if (received != MPI_IN_PLACE) what.results = {{received, count, type}};
  return what;
}
exchange scatter_counts(void const*, int const* counts, int const*, MPI_Datatype sent_type, void* received, int count,
                        MPI_Datatype type, int root, MPI_Comm in) {
  exchange what{operation::scatter, root};
  if (is_root(root, in)) what.counts = bytes(counts, sent_type, in);
  what.bytes_sent = sum(what.counts);
  what.bytes_received = received == MPI_IN_PLACE ? what.counts.at(rank_in(in)) : bytes(count, type);
  if (received != MPI_IN_PLACE) what.results = {{received, count, type}};
  return what;
}

exchange all_gather(void const* sent, int sent_count, MPI_Datatype sent_type, void* received, int count,
                    MPI_Datatype type, MPI_Comm in) {
  return {operation::all_gather,
          0,
          sent == MPI_IN_PLACE ? bytes(count, type) : bytes(sent_count, sent_type),
          size_of(in) * bytes(count, type),
          {},
          from_each(received, count, type, in)};
}
exchange all_gather_counts(void const* sent, int sent_count, MPI_Datatype sent_type, void* received, int const* counts,
                           int const* places, MPI_Datatype type, MPI_Comm in) {
  exchange what{operation::all_gather};
  what.results = from_each(received, counts, places, type, in);
  what.counts = bytes(counts, type, in);
  what.bytes_received = sum(what.counts);
  what.bytes_sent = sent == MPI_IN_PLACE ? what.counts.at(rank_in(in)) : bytes(sent_count, sent_type);
  return what;
}

exchange all_to_all(void const* sent, int sent_count, MPI_Datatype sent_type, void* received, int count,
                    MPI_Datatype type, MPI_Comm in) {
  std::uint64_t const got = size_of(in) * bytes(count, type);
  return {operation::all_to_all,
          0,
          sent == MPI_IN_PLACE ? got : size_of(in) * bytes(sent_count, sent_type),
          got,
          {},
          from_each(received, count, type, in)};
}
exchange all_to_all_counts(void const* sent, int const* sent_counts, int const*, MPI_Datatype sent_type, void* received,
                           int const* counts, int const* places, MPI_Datatype type, MPI_Comm in) {
  exchange what{operation::all_to_all};
  what.results = from_each(received, counts, places, type, in);
  auto const got = bytes(counts, type, in);
  what.counts = sent == MPI_IN_PLACE ? got : bytes(sent_counts, sent_type, in);
  what.bytes_sent = sum(what.counts);
  what.bytes_received = sum(got);
  return what;
}

exchange all_to_all_types(void const* sent, int const* sent_counts, int const*, MPI_Datatype const* sent_types,
                          void* received, int const* counts, int const* places, MPI_Datatype const* types,
                          MPI_Comm in) {
  exchange what{operation::all_to_all};
  std::vector<std::uint64_t> got;
  for (std::size_t i = 0; i < size_of(in); ++i) {
    got.push_back(bytes(counts[i], types[i]));
    what.results.push_back({static_cast<char*>(received) + places[i], counts[i], types[i]});
    what.counts.push_back(sent == MPI_IN_PLACE ? got.back() : bytes(sent_counts[i], sent_types[i]));
  }
  what.bytes_sent = sum(what.counts);
  what.bytes_received = sum(got);
  return what;
}

exchange reduce(void const*, void* result, int count, MPI_Datatype type, MPI_Op, int root, MPI_Comm in) {
  exchange what{operation::reduce, root, bytes(count, type)};
  if (is_root(root, in)) {
    what.bytes_received = bytes(count, type);
    what.results = {{result, count, type}};
  }
  return what;
}

/// Of calls where each gives as much as it gets.
exchange combined(operation what, void* result, int count, MPI_Datatype type) {
  return {what, 0, bytes(count, type), bytes(count, type), {}, {{result, count, type}}};
}
exchange all_reduce(void const*, void* result, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  return combined(operation::all_reduce, result, count, type);
}
exchange scan(void const*, void* result, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  return combined(operation::scan, result, count, type);
}
exchange exclusive_scan(void const*, void* result, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  return combined(operation::exclusive_scan, result, count, type);
}

exchange reduce_scatter(void const*, void* result, int const* counts, MPI_Datatype type, MPI_Op, MPI_Comm in) {
  exchange what{operation::reduce_scatter};
  what.counts = bytes(counts, type, in);
  what.bytes_sent = sum(what.counts);
  what.bytes_received = what.counts.at(rank_in(in));
  what.results = {{result, counts[rank_in(in)], type}};
  return what;
}
exchange reduce_scatter_block(void const*, void* result, int count, MPI_Datatype type, MPI_Op, MPI_Comm in) {
  return {operation::reduce_scatter, 0,  size_of(in) * bytes(count, type),
          bytes(count, type),        {}, {{result, count, type}}};
}

exchange barrier(MPI_Comm) { return {operation::barrier}; }

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)

#define OVLP_LIST(...) __VA_ARGS__
// A call in both forms: what it moves, its parameters and its arguments before the communicator.
#define OVLP_COLLECTIVE(blocking, immediate, exchanged, parameters, arguments)                                        \
  OVLP_ENTRY int MPI_##blocking(OVLP_LIST parameters MPI_Comm in) {                                                   \
    call const here(__builtin_return_address(0));                                                                     \
    if (auto* const trace = here.trace()) trace->meet(here.site(), exchanged(OVLP_LIST arguments in), in);            \
    return PMPI_##blocking(OVLP_LIST arguments in);                                                                   \
  }                                                                                                                   \
  OVLP_ENTRY int MPI_##immediate(OVLP_LIST parameters MPI_Comm in, MPI_Request* request) {                            \
    call const here(__builtin_return_address(0));                                                                     \
    int const result = PMPI_##immediate(OVLP_LIST arguments in, request);                                             \
    if (auto* const trace = here.trace()) trace->start(here.site(), exchanged(OVLP_LIST arguments in), in, *request); \
    return result;                                                                                                    \
  }

OVLP_COLLECTIVE(Barrier, Ibarrier, barrier, (), ())
OVLP_COLLECTIVE(Bcast, Ibcast, broadcast, (void* a, int n, MPI_Datatype t, int root, ), (a, n, t, root, ))
OVLP_COLLECTIVE(Gather, Igather, gather,
                (void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root, ),
                (a, n, t, b, m, u, root, ))
OVLP_COLLECTIVE(Gatherv, Igatherv, gather_counts,
                (void const* a, int n, MPI_Datatype t, void* b, int const* m, int const* at, MPI_Datatype u,
                 int root, ),
                (a, n, t, b, m, at, u, root, ))
OVLP_COLLECTIVE(Scatter, Iscatter, scatter,
                (void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root, ),
                (a, n, t, b, m, u, root, ))
OVLP_COLLECTIVE(Scatterv, Iscatterv, scatter_counts,
                (void const* a, int const* n, int const* at, MPI_Datatype t, void* b, int m, MPI_Datatype u,
                 int root, ),
                (a, n, at, t, b, m, u, root, ))
OVLP_COLLECTIVE(Allgather, Iallgather, all_gather,
                (void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, ), (a, n, t, b, m, u, ))
OVLP_COLLECTIVE(Allgatherv, Iallgatherv, all_gather_counts,
                (void const* a, int n, MPI_Datatype t, void* b, int const* m, int const* at, MPI_Datatype u, ),
                (a, n, t, b, m, at, u, ))
OVLP_COLLECTIVE(Alltoall, Ialltoall, all_to_all,
                (void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, ), (a, n, t, b, m, u, ))
OVLP_COLLECTIVE(Alltoallv, Ialltoallv, all_to_all_counts,
                (void const* a, int const* n, int const* from, MPI_Datatype t, void* b, int const* m, int const* at,
                 MPI_Datatype u, ),
                (a, n, from, t, b, m, at, u, ))
OVLP_COLLECTIVE(Alltoallw, Ialltoallw, all_to_all_types,
                (void const* a, int const* n, int const* from, MPI_Datatype const* t, void* b, int const* m,
                 int const* at, MPI_Datatype const* u, ),
                (a, n, from, t, b, m, at, u, ))
OVLP_COLLECTIVE(Reduce, Ireduce, reduce, (void const* a, void* b, int n, MPI_Datatype t, MPI_Op op, int root, ),
                (a, b, n, t, op, root, ))
OVLP_COLLECTIVE(Allreduce, Iallreduce, all_reduce, (void const* a, void* b, int n, MPI_Datatype t, MPI_Op op, ),
                (a, b, n, t, op, ))
OVLP_COLLECTIVE(Scan, Iscan, scan, (void const* a, void* b, int n, MPI_Datatype t, MPI_Op op, ), (a, b, n, t, op, ))
OVLP_COLLECTIVE(Exscan, Iexscan, exclusive_scan, (void const* a, void* b, int n, MPI_Datatype t, MPI_Op op, ),
                (a, b, n, t, op, ))
OVLP_COLLECTIVE(Reduce_scatter, Ireduce_scatter, reduce_scatter,
                (void const* a, void* b, int const* n, MPI_Datatype t, MPI_Op op, ), (a, b, n, t, op, ))
OVLP_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, reduce_scatter_block,
                (void const* a, void* b, int n, MPI_Datatype t, MPI_Op op, ), (a, b, n, t, op, ))
