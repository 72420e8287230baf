// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/buffer.hpp>

#include <cstdint>
#include <cstdlib>

#include <ovlp/flowgraph/memory.hpp>

namespace ovlp::detail {

// calloc's large blocks are zero without being written. It aligns to 16 bytes, so there are 16 or more before an
// aligned place; the pointer to give back stands there.

std::byte* shared_bytes::block::acquire() const {
  if (!zeroed) return static_cast<std::byte*>(take_memory(size, alignment));
  void* const from = std::calloc(size + alignment, 1);
  if (from == nullptr) throw std::bad_alloc{};
  std::size_t const beyond = reinterpret_cast<std::uintptr_t>(from) % alignment;
  std::byte* const aligned = static_cast<std::byte*>(from) + (alignment - beyond);
  std::memcpy(aligned - sizeof from, &from, sizeof from);
  return aligned;
}

void shared_bytes::block::release(std::byte* aligned) const noexcept {
  if (aligned == nullptr) return;
  if (!zeroed) return give_memory(aligned, alignment);
  void* from = nullptr;
  std::memcpy(&from, aligned - sizeof from, sizeof from);
  std::free(from);
}

}  // namespace ovlp::detail
