// SPDX-License-Identifier: BSD-3-Clause
// Loaded into a program by `ovlp threads run` (LD_PRELOAD): its threads run, by their creation, on the processing units
// that the environment names: OVLP_THREAD_UNITS="0 4 1 ...". Later ones run where the system wants.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t most_threads = 4096;

std::array<long, most_threads> units;  // NOLINT(google-runtime-int): as strtol() has it
std::size_t count = 0;
std::atomic<std::size_t> created = 0;
cpu_set_t allowed;  ///< at the program's start

void run_on(std::size_t thread) {
  cpu_set_t set = allowed;
  if (thread < count) {
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(units[thread]), &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    std::fprintf(stderr, "ovlp threads: thread %zu cannot run on unit %ld\n", thread,
                 thread < count ? units[thread] : -1);
}

__attribute__((constructor)) void begin() {
  char const* const text = std::getenv("OVLP_THREAD_UNITS");
  if (text == nullptr) return;
  char* end = nullptr;
  for (char const* at = text; count < most_threads; at = end) {
    errno = 0;
    long const unit = std::strtol(at, &end, 10);  // NOLINT(google-runtime-int)
    if (end == at) break;
    if (errno != 0 || unit < 0 || unit >= CPU_SETSIZE) std::abort();  // ovlp threads run has checked them
    units[count++] = unit;
  }
  ::unsetenv("OVLP_THREAD_UNITS");  // for the programs that this one starts
  ::unsetenv("LD_PRELOAD");
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  run_on(created++);
}

struct beginning {
  void* (*function)(void*);
  void* argument;
  std::size_t thread;
};

extern "C" void* run_pinned(void* given) {
  beginning const its = *static_cast<beginning*>(given);
  std::free(given);
  run_on(its.thread);
  return its.function(its.argument);
}

using creation = int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* made, pthread_attr_t const* attributes,
                                                                     void* (*function)(void*), void* argument) {
  static auto const create = reinterpret_cast<creation>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (count == 0) return create(made, attributes, function, argument);
  auto* const its = static_cast<beginning*>(std::malloc(sizeof(beginning)));
  if (its == nullptr) return EAGAIN;
  *its = {function, argument, created++};
  int const failed = create(made, attributes, run_pinned, its);
  if (failed != 0) std::free(its);
  return failed;
}
