// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/memory.hpp>

#include <cstddef>
#include <new>

#include <ovlp/flowgraph/sanitizers.hpp>

#if !defined(OVLP_ADDRESS_SANITIZER) && !defined(OVLP_THREAD_SANITIZER)
#include <oneapi/tbb/scalable_allocator.h>
#endif

namespace ovlp::detail {

#if defined(OVLP_ADDRESS_SANITIZER) || defined(OVLP_THREAD_SANITIZER)
void* take_memory(std::size_t bytes, std::size_t alignment) {
  return ::operator new(bytes, std::align_val_t(alignment));
}
void give_memory(void* taken, std::size_t alignment) noexcept { ::operator delete(taken, std::align_val_t(alignment)); }
#else
void* take_memory(std::size_t bytes, std::size_t alignment) {
  bool const plain = alignment <= alignof(std::max_align_t);  // cheaper
  void* const taken = plain ? scalable_malloc(bytes) : scalable_aligned_malloc(bytes, alignment);
  if (taken == nullptr) throw std::bad_alloc();
  return taken;
}
void give_memory(void* taken, std::size_t alignment) noexcept {
  alignment <= alignof(std::max_align_t) ? scalable_free(taken) : scalable_aligned_free(taken);
}
#endif

}  // namespace ovlp::detail
