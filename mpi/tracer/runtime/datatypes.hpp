// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <mpi.h>

namespace ovlp::mpi::tracer {

/// Bytes of the rank's memory.
struct block {
  std::uintptr_t begin, end;
};
/// Of a message, in its order.
using blocks = std::vector<block>;

inline std::uint64_t bytes_of(blocks const& all) {
  std::uint64_t sum = 0;
  for (block const& one : all) sum += one.end - one.begin;
  return sum;
}

/// The first so many bytes of it.
blocks first_bytes(blocks const& all, std::uint64_t at_most);

/// Which bytes datatypes are. Types are asked when they are used first, whoever made them.
class datatypes {
 public:
  /// The bytes of a message.
  blocks memory(void const* buffer, std::uint64_t count, MPI_Datatype type);
  /// Before it is freed: another one may get its handle.
  void forget(MPI_Datatype type) { known_.erase(type); }

 private:
  struct part {
    std::ptrdiff_t offset;
    std::size_t bytes;
  };
  struct layout {
    std::vector<part> parts;
    std::ptrdiff_t extent = 0;

    void add(part const& next);
    /// So many elements of the type, one after the other.
    void add(layout const& element, std::uint64_t count, std::ptrdiff_t offset);
  };

  layout const& of(MPI_Datatype type);
  layout derived(MPI_Datatype type, int combiner, std::vector<int> const& integers,
                 std::vector<MPI_Aint> const& addresses, std::vector<layout> const& elements);

  std::map<MPI_Datatype, layout> known_;
};

}  // namespace ovlp::mpi::tracer
