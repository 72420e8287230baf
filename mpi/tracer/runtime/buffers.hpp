// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "rank_trace.hpp"

/// Where in a buffer of a collective call the block for a rank, or from it, is.
namespace ovlp::mpi::tracer {

/// With whom a rank exchanges blocks: all ranks of the communicator, of an intercommunicator those of the other group.
inline std::size_t size_of(MPI_Comm in) {
  int size = 0, between_groups = 0;
  PMPI_Comm_test_inter(in, &between_groups);
  between_groups != 0 ? PMPI_Comm_remote_size(in, &size) : PMPI_Comm_size(in, &size);
  return static_cast<std::size_t>(size);
}

inline MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return extent;
}
inline void const* behind(void const* buffer, MPI_Aint bytes) { return static_cast<char const*>(buffer) + bytes; }

struct equal_blocks {
  void const* buffer;
  int count;
  MPI_Datatype type;
  data operator[](std::size_t i) const {
    return {behind(buffer, static_cast<MPI_Aint>(i) * count * extent_of(type)), count, type};
  }
};
struct counted_blocks {
  void const* buffer;
  int const* counts;
  int const* places;
  MPI_Datatype type;
  data operator[](std::size_t i) const { return {behind(buffer, places[i] * extent_of(type)), counts[i], type}; }
};
template <class Place>
struct typed_blocks {
  void const* buffer;
  int const* counts;
  Place const* places;
  MPI_Datatype const* types;
  data operator[](std::size_t i) const { return {behind(buffer, places[i]), counts[i], types[i]}; }
};

// The arguments of calls of all to all, as `Use` gets them: what is sent, what is received, and the communicator.

template <auto Use>
auto one_to_equal(void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, MPI_Comm in) {
  return Use(data{a, n, t}, equal_blocks{b, m, u}, in);
}
template <auto Use>
auto one_to_counted(void const* a, int n, MPI_Datatype t, void* b, int const* m, int const* at, MPI_Datatype u,
                    MPI_Comm in) {
  return Use(data{a, n, t}, counted_blocks{b, m, at, u}, in);
}
template <auto Use>
auto equal_to_equal(void const* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, MPI_Comm in) {
  return Use(equal_blocks{a, n, t}, equal_blocks{b, m, u}, in);
}
template <auto Use>
auto counted_to_counted(void const* a, int const* n, int const* from, MPI_Datatype t, void* b, int const* m,
                        int const* at, MPI_Datatype u, MPI_Comm in) {
  return Use(counted_blocks{a, n, from, t}, counted_blocks{b, m, at, u}, in);
}
template <auto Use, class Place>
auto typed_to_typed(void const* a, int const* n, Place const* from, MPI_Datatype const* t, void* b, int const* m,
                    Place const* at, MPI_Datatype const* u, MPI_Comm in) {
  return Use(typed_blocks<Place>{a, n, from, t}, typed_blocks<Place>{b, m, at, u}, in);
}

}  // namespace ovlp::mpi::tracer
