// SPDX-License-Identifier: BSD-3-Clause
#include "counted_memory.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace ovlp::testing {

constinit memory_counts memory;

namespace {

std::ptrdiff_t bytes_of(void* block) { return static_cast<std::ptrdiff_t>(::malloc_usable_size(block)); }

void* take(std::size_t bytes, std::size_t alignment) {
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const block = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (block == nullptr) throw std::bad_alloc();
  ++memory.taken_blocks;
  ++memory.live_blocks;
  memory.live_bytes += bytes_of(block);
  return block;
}
void give(void* block) {
  if (block == nullptr) return;
  --memory.live_blocks;
  memory.live_bytes -= bytes_of(block);
  std::free(block);
}

}  // namespace
}  // namespace ovlp::testing

using ovlp::testing::give, ovlp::testing::take;

void* operator new(std::size_t bytes) { return take(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { give(block); }
void operator delete(void* block, std::size_t) noexcept { give(block); }
void operator delete(void* block, std::align_val_t) noexcept { give(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give(block); }
