// SPDX-License-Identifier: BSD-3-Clause
#include "datatypes.hpp"

#include <algorithm>

namespace ovlp::mpi::tracer {

void datatypes::layout::add(part const& next) {
  if (next.bytes == 0) return;
  if (!parts.empty() && parts.back().offset + static_cast<std::ptrdiff_t>(parts.back().bytes) == next.offset) {
    parts.back().bytes += next.bytes;
  } else {
    parts.push_back(next);
  }
}

void datatypes::layout::add(layout const& element, std::uint64_t count, std::ptrdiff_t offset) {
  if (element.parts.size() == 1 && element.parts[0].bytes == static_cast<std::size_t>(element.extent)) {  // no holes
    return add(part{offset + element.parts[0].offset, element.parts[0].bytes * count});
  }
  for (std::uint64_t i = 0; i < count; ++i, offset += element.extent) {
    for (part const& one : element.parts) add(part{offset + one.offset, one.bytes});
  }
}

datatypes::layout const& datatypes::of(MPI_Datatype type) {
  if (auto const found = known_.find(type); found != known_.end()) return found->second;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  layout made;
  if (types == 0) {  // named, or one of Fortran's by its precision
    MPI_Aint begin = 0, extent = 0;
    PMPI_Type_get_true_extent(type, &begin, &extent);
    if (extent > 0) made.add(part{begin, static_cast<std::size_t>(extent)});
  } else {
    std::vector<int> i(static_cast<std::size_t>(integers) + 1);  // one more: none is no array
    std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
    std::vector<MPI_Datatype> of_types(static_cast<std::size_t>(types));
    PMPI_Type_get_contents(type, integers, addresses, types, i.data(), a.data(), of_types.data());
    std::vector<layout> elements;
    for (MPI_Datatype& element : of_types) {
      elements.push_back(of(element));
      int none[3], kind = 0;
      PMPI_Type_get_envelope(element, &none[0], &none[1], &none[2], &kind);
      if (kind != MPI_COMBINER_NAMED) {  // a handle of ours
        known_.erase(element);
        PMPI_Type_free(&element);
      }
    }
    made = derived(type, combiner, i, a, elements);
  }
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  made.extent = extent;
  return known_[type] = std::move(made);
}

/// Source: MPI 4.0, section 5.1.13, which says what stands at which place of a constructor's arguments.
datatypes::layout datatypes::derived(MPI_Datatype type, int combiner, std::vector<int> const& integers,
                                     std::vector<MPI_Aint> const& addresses, std::vector<layout> const& elements) {
  layout made;
  layout const& element = elements.front();
  auto const number = [&](std::size_t at) { return static_cast<std::uint64_t>(std::max(integers.at(at), 0)); };
  auto const times_extent = [&](int displacement) { return displacement * element.extent; };
  std::uint64_t const count = number(0);
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: made.add(element, 1, 0); break;
    case MPI_COMBINER_CONTIGUOUS: made.add(element, count, 0); break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR: {
      std::ptrdiff_t const stride = combiner == MPI_COMBINER_VECTOR ? times_extent(integers.at(2)) : addresses.at(0);
      for (std::uint64_t i = 0; i < count; ++i) made.add(element, number(1), static_cast<std::ptrdiff_t>(i) * stride);
      break;
    }
    case MPI_COMBINER_INDEXED:
      for (std::uint64_t i = 0; i < count; ++i)
        made.add(element, number(1 + i), times_extent(integers.at(1 + count + i)));
      break;
    case MPI_COMBINER_HINDEXED:
      for (std::uint64_t i = 0; i < count; ++i) made.add(element, number(1 + i), addresses.at(i));
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
      for (std::uint64_t i = 0; i < count; ++i) made.add(element, number(1), times_extent(integers.at(2 + i)));
      break;
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (std::uint64_t i = 0; i < count; ++i) made.add(element, number(1), addresses.at(i));
      break;
    case MPI_COMBINER_STRUCT:
      for (std::uint64_t i = 0; i < count; ++i) made.add(elements.at(i), number(1 + i), addresses.at(i));
      break;
    case MPI_COMBINER_SUBARRAY: {
      auto const dimensions = static_cast<std::size_t>(integers.at(0));
      bool const first_is_fastest = integers.at(1 + 3 * dimensions) == MPI_ORDER_FORTRAN;
      made = element;
      for (std::size_t n = 0; n < dimensions; ++n) {  // from the dimension that varies fastest on
        std::size_t const dimension = first_is_fastest ? n : dimensions - 1 - n;
        layout rows;
        rows.add(made, number(1 + dimensions + dimension), integers.at(1 + 2 * dimensions + dimension) * made.extent);
        rows.extent = integers.at(1 + dimension) * made.extent;
        made = std::move(rows);
      }
      break;
    }
    default: {  // distributed arrays: all between the first and the last byte
      MPI_Aint begin = 0, extent = 0;
      PMPI_Type_get_true_extent(type, &begin, &extent);
      made.add(part{begin, static_cast<std::size_t>(extent)});
    }
  }
  return made;
}

blocks datatypes::memory(void const* buffer, std::uint64_t count, MPI_Datatype type) {
  layout all;
  all.add(of(type), count, 0);
  auto const base = buffer == MPI_BOTTOM ? 0 : reinterpret_cast<std::uintptr_t>(buffer);
  blocks found;
  for (part const& one : all.parts) {
    std::uintptr_t const begin = base + static_cast<std::uintptr_t>(one.offset);
    found.push_back({begin, begin + one.bytes});
  }
  return found;
}

blocks first_bytes(blocks const& all, std::uint64_t at_most) {
  blocks found;
  for (block const& one : all) {
    std::uint64_t const bytes = std::min<std::uint64_t>(one.end - one.begin, at_most);
    if (bytes == 0) break;
    found.push_back({one.begin, one.begin + bytes});
    at_most -= bytes;
  }
  return found;
}

}  // namespace ovlp::mpi::tracer
