// SPDX-License-Identifier: BSD-3-Clause
// Keeps the grain of CPU quotas fine: ovlp-metronome CORE...
//
// The kernel charges a group for the time that its task has run when something happens on the core: a switch, or the
// tick, which comes every 4 ms on many machines. A task that is alone overdraws a quota of 1 ms by up to 3 ms, and then
// stands still for up to 40. A thread of higher priority that wakes every half millisecond and sleeps again makes
// something happen. It takes some 0.5 % of a core. Measured: docs/testbed.md.
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr long beat_ns = 500'000;
constexpr long second_ns = 1'000'000'000;

void check(int result, char const* what) {
  if (result == 0) return;
  std::fprintf(stderr, "ovlp-metronome: cannot %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

[[noreturn]] void beat(std::size_t core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  check(::sched_setaffinity(0, sizeof only, &only), "run on that core");
  sched_param const priority{1};
  check(::sched_setscheduler(0, SCHED_FIFO, &priority), "have a real-time priority");
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

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::thread> beating;
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    long const core = std::strtol(argv[i], &end, 10);
    if (*argv[i] == '\0' || *end != '\0' || core < 0 || core >= CPU_SETSIZE) {
      std::fprintf(stderr, "ovlp-metronome: expected numbers of cores, got '%s'\n", argv[i]);
      return 2;
    }
    beating.emplace_back(beat, static_cast<std::size_t>(core));
  }
  if (beating.empty()) {
    std::fprintf(stderr, "ovlp-metronome: expected numbers of cores\n");
    return 2;
  }
  for (std::thread& one : beating) one.join();
}
