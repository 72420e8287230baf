// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/buffer.hpp>

#include <oneapi/tbb/scalable_allocator.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace ovlp::detail {

// TBB's allocator keeps large blocks for the next one. The C library's gives them back to the system, which makes
// fresh pages for each, at a cost of some per cent of a matrix product's.
//
// calloc's large blocks, though, are zero without being written. It aligns to 16 bytes, so there are 16 or more before
// an aligned place; the pointer to give back stands there.

std::byte* shared_bytes::block::acquire() const {
  void* const from = zeroed ? std::calloc(size + alignment, 1) : scalable_aligned_malloc(size, alignment);
  if (from == nullptr) throw std::bad_alloc{};
  if (!zeroed) return static_cast<std::byte*>(from);
  std::size_t const beyond = reinterpret_cast<std::uintptr_t>(from) % alignment;
  std::byte* const aligned = static_cast<std::byte*>(from) + (alignment - beyond);
  std::memcpy(aligned - sizeof from, &from, sizeof from);
  return aligned;
}

void shared_bytes::block::release(std::byte* aligned) const noexcept {
  if (aligned == nullptr) return;
  if (!zeroed) return scalable_aligned_free(aligned);
  void* from = nullptr;
  std::memcpy(&from, aligned - sizeof from, sizeof from);
  std::free(from);
}

}  // namespace ovlp::detail
