// SPDX-License-Identifier: BSD-3-Clause
// With --clear-freed: who accessed memory that was freed has nothing to do with those that get it next.
#include <dlfcn.h>
#include <malloc.h>

#include <cstddef>

#include "entry.hpp"
#include "observed.hpp"

namespace ovlp::threads {
namespace {

/// The next definition of that name: the C library's, or that of another allocator.
template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool clears_freed() {
  counters const* const to = counted();
  return to != nullptr && to->clear_freed != 0;
}

void forget(void const* at, std::size_t bytes) { forget_blocks(reinterpret_cast<std::uintptr_t>(at), bytes); }

}  // namespace
}  // namespace ovlp::threads

OVLP_ENTRY void free(void* at) {
  using namespace ovlp::threads;  // NOLINT(google-build-using-namespace)
  static auto* const free_next = next<void(void*)>("free");
  if (at != nullptr && clears_freed()) forget(at, ::malloc_usable_size(at));
  free_next(at);
}

OVLP_ENTRY void* realloc(void* at, std::size_t bytes) {
  using namespace ovlp::threads;  // NOLINT(google-build-using-namespace)
  static auto* const realloc_next = next<void*(void*, std::size_t)>("realloc");
  if (at == nullptr || !clears_freed()) return realloc_next(at, bytes);
  std::size_t const had = ::malloc_usable_size(at);
  void* const now = realloc_next(at, bytes);
  if (now != at && (now != nullptr || bytes == 0)) forget(at, had);
  return now;
}
