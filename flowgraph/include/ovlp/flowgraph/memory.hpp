// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ovlp::detail {

/// Memory from an allocator that keeps blocks of all sizes for the next ones, and that lets one thread free what
/// another took. The C library's gives large blocks back to the system, which then makes fresh pages for each: some per
/// cent of the time of a matrix product. Under sanitizers, from which that allocator hides memory, it is the plain one.
/// Thread: any. Errors: std::bad_alloc.
void* take_memory(std::size_t bytes, std::size_t alignment);
void give_memory(void* taken, std::size_t alignment) noexcept;

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
/// Fresh memory from the system, in huge pages where it gives them. `bytes`: a multiple of huge_page_bytes.
/// Thread: any. Errors: std::bad_alloc.
void* map_huge_pages(std::size_t bytes);

/// For what is small and comes and goes with each object. An OS thread keeps blocks that it frees and takes them again;
/// threads hand each other whole batches. Blocks stay with their size, as many as there were at once; large ones are
/// take_memory's. Aligned for any plain type. Thread: any. Errors: std::bad_alloc.
void* take_block(std::size_t bytes);
void give_block(void* taken, std::size_t bytes) noexcept;

/// Blocks for containers.
template <class T>
struct block_allocator {
  using value_type = T;

  block_allocator() = default;
  template <class U>
  block_allocator(block_allocator<U> const&) noexcept {}

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    return static_cast<T*>(take_block(count * sizeof(T)));
  }
  void deallocate(T* taken, std::size_t count) noexcept { give_block(taken, count * sizeof(T)); }
  friend bool operator==(block_allocator, block_allocator) { return true; }
};

}  // namespace ovlp::detail
