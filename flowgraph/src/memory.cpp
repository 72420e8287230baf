// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/memory.hpp>

#include <new>

#include <ovlp/flowgraph/sanitizers.hpp>

#if !defined(OVLP_ADDRESS_SANITIZER) && !defined(OVLP_THREAD_SANITIZER)
#include <sys/mman.h>

#include <cstdint>

#include <oneapi/tbb/scalable_allocator.h>
#endif

namespace ovlp::detail {

#if defined(OVLP_ADDRESS_SANITIZER) || defined(OVLP_THREAD_SANITIZER)
void* take_memory(std::size_t bytes, std::size_t alignment) {
  return ::operator new(bytes, std::align_val_t(alignment));
}
void give_memory(void* taken, std::size_t alignment) noexcept { ::operator delete(taken, std::align_val_t(alignment)); }
#else
/// To make a page of 4 KiB costs whoever touches it first 0.2 to 1.3 us, most on virtual machines: a third of a
/// nanosecond for each byte of a new block, in the middle of a kernel. Huge pages cost an eighth of that.
void* map_huge_pages(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const reserved = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
  if (reserved != MAP_FAILED) return reserved;
  void* const mapped = ::mmap(nullptr, bytes + huge_page_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  // Of what was mapped the part that begins where a huge page may.
  std::size_t const beyond = reinterpret_cast<std::uintptr_t>(mapped) % huge_page_bytes;
  std::size_t const before = beyond == 0 ? 0 : huge_page_bytes - beyond;
  std::byte* const start = static_cast<std::byte*>(mapped) + before;
  if (before > 0) ::munmap(mapped, before);
  ::munmap(start + bytes, huge_page_bytes - before);
  ::madvise(start, bytes, MADV_HUGEPAGE);  // else small ones
  return start;
}

namespace {

/// For the pool. nullptr: there is none.
void* map(std::intptr_t, std::size_t& bytes) {
  bytes = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  try {
    return map_huge_pages(bytes);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}
int unmap(std::intptr_t, void* start, std::size_t bytes) { return ::munmap(start, bytes); }

/// All memory of the process that is taken here, as long as it lives.
rml::MemoryPool* pool() {
  static rml::MemoryPool* const made = [] {
    rml::MemPoolPolicy const keeping(map, unmap, huge_page_bytes, false, true);
    rml::MemoryPool* created = nullptr;
    if (rml::pool_create_v1(0, &keeping, &created) != rml::POOL_OK) throw std::bad_alloc();
    return created;
  }();
  return made;
}

}  // namespace

void* take_memory(std::size_t bytes, std::size_t alignment) {
  bool const plain = alignment <= alignof(std::max_align_t);  // cheaper
  void* const taken = plain ? rml::pool_malloc(pool(), bytes) : rml::pool_aligned_malloc(pool(), bytes, alignment);
  if (taken == nullptr) throw std::bad_alloc();
  return taken;
}
void give_memory(void* taken, std::size_t) noexcept { rml::pool_free(pool(), taken); }
#endif

}  // namespace ovlp::detail
