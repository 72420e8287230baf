// SPDX-License-Identifier: BSD-3-Clause
// Loaded into a program by `ovlp threads run` (LD_PRELOAD): its threads run, by their creation, on the processing units
// that the environment names: OVLP_THREAD_UNITS="0 4 1 ...". Later ones run where the system wants.
#include <sched.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <ovlp/instrument/entry.hpp>
#include <ovlp/threads/counters.hpp>
#include <ovlp/threads/create_numbered.hpp>

namespace {

using ovlp::shared_memory::most_threads;

std::array<long, most_threads> units;  // NOLINT(google-runtime-int): as strtol() has it
std::size_t count = 0;
std::atomic<std::uint32_t> created = 0;
cpu_set_t allowed;  ///< before the first thread is created

void run_on(std::uint32_t thread) {
  cpu_set_t set = allowed;
  if (thread < count) {
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(units[thread]), &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    std::fprintf(stderr, "ovlp threads: thread %u cannot run on unit %ld\n", thread,
                 thread < count ? units[thread] : -1);
}

/// Programs without threads, such as a shell, hand the variable on; who creates some keeps it for itself.
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
}

/// Before the first thread is created, and not earlier: a library for OpenMP looks first on what the process may run.
void begin_pinning() {
  ::unsetenv("OVLP_THREAD_UNITS");
  ::unsetenv("LD_PRELOAD");
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  // A child has what the process had.
  ::pthread_atfork(nullptr, nullptr, [] {
    count = 0;
    ::sched_setaffinity(0, sizeof allowed, &allowed);
  });
  run_on(created++);
}

}  // namespace

OVLP_ENTRY int pthread_create(pthread_t* made, pthread_attr_t const* attributes, void* (*function)(void*),
                              void* argument) {
  using namespace ovlp::shared_memory;  // NOLINT(google-build-using-namespace)
  if (count == 0) return create_next(made, attributes, function, argument);
  static std::once_flag begun;
  std::call_once(begun, begin_pinning);
  std::uint32_t const thread = created++;
  int const failed = create_numbered(made, attributes, {function, argument, thread, run_on, nullptr});
  if (failed != 0) {
    std::uint32_t next = thread + 1;
    created.compare_exchange_strong(next, thread);  // there is no such thread after all
  }
  return failed;
}

OVLP_ENTRY int thrd_create(thrd_t* made, thrd_start_t function, void* argument) {
  return ovlp::shared_memory::create_c11(made, function, argument);
}
