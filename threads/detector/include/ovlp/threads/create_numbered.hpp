// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

/// For libraries that define pthread_create() in the place of the system's, to number threads by their creation.
namespace ovlp::shared_memory {

using thread_function = void* (*)(void*);

/// What a numbered thread gets in the place of its argument, which it frees.
struct numbered_start {
  thread_function function;
  void* argument;
  std::uint32_t number;
  void (*begins)(std::uint32_t number);
  void (*ends)(std::uint32_t number);  ///< nullptr: nobody wants to know
};

inline void* run_numbered(void* given) {
  numbered_start its = *static_cast<numbered_start*>(given);
  std::free(given);
  its.begins(its.number);
  void* result = nullptr;
  // However it ends.
  pthread_cleanup_push(
      [](void* of) {
        auto const& ended = *static_cast<numbered_start const*>(of);
        if (ended.ends != nullptr) ended.ends(ended.number);
      },
      &its);
  result = its.function(its.argument);
  pthread_cleanup_pop(1);
  return result;
}

/// The system's pthread_create().
inline int create_next(pthread_t* made, pthread_attr_t const* attributes, thread_function function, void* argument) {
  using creation = int (*)(pthread_t*, pthread_attr_t const*, thread_function, void*);
  static auto const create = reinterpret_cast<creation>(::dlsym(RTLD_NEXT, "pthread_create"));
  return create(made, attributes, function, argument);
}

/// The same for a thread that calls `begins` with its number first. Returns what pthread_create() does; then, if that
/// is not 0, there is no such thread, and nobody has the number.
inline int create_numbered(pthread_t* made, pthread_attr_t const* attributes, numbered_start const& start) {
  auto* const its = static_cast<numbered_start*>(std::malloc(sizeof(numbered_start)));
  if (its == nullptr) return EAGAIN;
  *its = start;
  int const failed = create_next(made, attributes, run_numbered, its);
  if (failed != 0) std::free(its);
  return failed;
}

/// C's threads, as those of pthread_create(), which the C library does not call for them.
struct c11_start {
  thrd_start_t function;
  void* argument;
};

inline void* run_c11(void* given) {
  c11_start const its = *static_cast<c11_start*>(given);
  std::free(given);
  auto const result = static_cast<std::intptr_t>(its.function(its.argument));
  return reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr): as thrd_exit() has it
}

inline int create_c11(thrd_t* made, thrd_start_t function, void* argument) {
  auto* const its = static_cast<c11_start*>(std::malloc(sizeof(c11_start)));
  if (its == nullptr) return thrd_nomem;
  *its = {function, argument};
  int const failed = ::pthread_create(made, nullptr, run_c11, its);
  if (failed == 0) return thrd_success;
  std::free(its);
  return failed == ENOMEM || failed == EAGAIN ? thrd_nomem : thrd_error;
}

}  // namespace ovlp::shared_memory
