// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

/// For libraries that define pthread_create() in the place of the system's, to number threads by their creation.
namespace ovlp::threads {

using thread_function = void* (*)(void*);

/// What a numbered thread gets in the place of its argument, which it frees.
struct numbered_start {
  thread_function function;
  void* argument;
  std::uint32_t number;
  void (*begins)(std::uint32_t number);
};

inline void* run_numbered(void* given) {
  numbered_start const its = *static_cast<numbered_start*>(given);
  std::free(given);
  its.begins(its.number);
  return its.function(its.argument);
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

}  // namespace ovlp::threads
