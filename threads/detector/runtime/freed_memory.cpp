// SPDX-License-Identifier: BSD-3-Clause
// With --clear-freed: who accessed memory that was freed has nothing to do with those that get it next.
#include <dlfcn.h>
#include <malloc.h>

#include <cstddef>

#include <ovlp/instrument/entry.hpp>

#include "observed.hpp"

// The C library's own. Until the next definitions are known.
extern "C" {
void libc_free(void* at) __asm__("__libc_free");
void* libc_realloc(void* at, std::size_t bytes) __asm__("__libc_realloc");
}

namespace ovlp::shared_memory {
namespace {

/// The next definitions of these names: the C library's, or those of another allocator. Not when they are called first:
/// dlsym() itself may free memory.
void (*free_next)(void*) = libc_free;
void* (*realloc_next)(void*, std::size_t) = libc_realloc;

__attribute__((constructor(101))) void find_next() {
  free_next = reinterpret_cast<decltype(free_next)>(::dlsym(RTLD_NEXT, "free"));
  realloc_next = reinterpret_cast<decltype(realloc_next)>(::dlsym(RTLD_NEXT, "realloc"));
}

bool clears_freed() {
  counters const* const to = counted();
  return to != nullptr && to->clear_freed != 0;
}

void forget(void const* at, std::size_t bytes) { forget_blocks(reinterpret_cast<std::uintptr_t>(at), bytes); }

}  // namespace
}  // namespace ovlp::shared_memory

OVLP_ENTRY void free(void* at) {
  using namespace ovlp::shared_memory;  // NOLINT(google-build-using-namespace)
  if (at != nullptr && clears_freed()) forget(at, ::malloc_usable_size(at));
  free_next(at);
}

OVLP_ENTRY void* realloc(void* at, std::size_t bytes) {
  using namespace ovlp::shared_memory;  // NOLINT(google-build-using-namespace)
  if (at == nullptr || !clears_freed()) return realloc_next(at, bytes);
  std::size_t const had = ::malloc_usable_size(at);
  void* const now = realloc_next(at, bytes);
  if (now != at && (now != nullptr || bytes == 0)) forget(at, had);
  if (now != at) return now;
  std::size_t const has = ::malloc_usable_size(now);
  if (has < had) forget(static_cast<char*>(now) + has, had - has);
  return now;
}
