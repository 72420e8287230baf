// SPDX-License-Identifier: BSD-3-Clause
// Keeps the grain of CPU quotas fine, and cores awake: ovlp-metronome READY BYTES CORE...
//
// The kernel charges a group for the time that its task has run when something happens on the core: a switch, or the
// tick, which comes every 4 ms on many machines. A task that is alone overdraws a quota of 1 ms by up to 3 ms, and then
// stands still for up to 40. A thread of higher priority that wakes every half millisecond and sleeps again makes
// something happen. It takes some 0.5 % of a core. Measured: docs/testbed.md.
//
// First, before it makes the file READY, it touches BYTES of huge pages, if so many are reserved: a virtual machine may
// have given that memory back to its host, which finds it again at the first touch, at 10 us for 4 KiB, in the middle
// of somebody's kernel.
//
// A second thread, that runs when nothing else wants the core, keeps it awake: a core that sleeps between two grants
// wakes up slow and cold, a virtual one also late.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr long beat_ns = 500'000;
constexpr long second_ns = 1'000'000'000;

void check(bool good, char const* what) {
  if (good) return;
  std::fprintf(stderr, "ovlp-metronome: cannot %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

void run_on(std::size_t core, int policy, int level, char const* what) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  check(::sched_setaffinity(0, sizeof only, &only) == 0, "run on that core");
  sched_param const priority{level};
  check(::sched_setscheduler(0, policy, &priority) == 0, what);
}

void touch(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE;
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped != MAP_FAILED) ::munmap(mapped, bytes);
}

[[noreturn]] void keep_awake(std::size_t core) {
  run_on(core, SCHED_IDLE, 0, "have the lowest priority");
  for (;;) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }
}

[[noreturn]] void beat(std::size_t core) {
  run_on(core, SCHED_FIFO, 1, "have a real-time priority");
  ::prctl(PR_SET_TIMERSLACK, 1);
  timespec next{};
  ::clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    next.tv_nsec += beat_ns;
    if (next.tv_nsec >= second_ns) {
      next.tv_nsec -= second_ns;
      ++next.tv_sec;
    }
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
  }
}

/// A number of the command line.
long number(char const* text, char const* what, long most) {
  char* end = nullptr;
  long const read = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || read < 0 || read > most) {
    std::fprintf(stderr, "ovlp-metronome: expected %s, got '%s'\n", what, text);
    std::exit(2);
  }
  return read;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "ovlp-metronome: expected a file, a number of bytes and numbers of cores\n");
    return 2;
  }
  touch(static_cast<std::size_t>(number(argv[2], "a number of bytes", LONG_MAX)));
  std::FILE* const ready = std::fopen(argv[1], "we");
  check(ready != nullptr, "write the file that says that it is ready");
  std::fclose(ready);
  std::vector<std::thread> threads;
  for (int i = 3; i < argc; ++i) {
    auto const core = static_cast<std::size_t>(number(argv[i], "numbers of cores", CPU_SETSIZE - 1));
    threads.emplace_back(beat, core);
    threads.emplace_back(keep_awake, core);
  }
  for (std::thread& one : threads) one.join();
}
