// SPDX-License-Identifier: BSD-3-Clause
// Makes the kernel account for CPU time every half millisecond: ovlp-ticker CORE...
//
// The kernel charges a group for the time that its task has run when something happens on the core: a switch, or the
// tick of the kernel, which comes every 4 ms on many machines. A task that is alone overruns a quota of 1 ms by up to
// 3 ms, and is then throttled for up to 40. A thread of real-time priority that wakes up every half millisecond and
// sleeps again makes something happen. It takes some 0.5 % of a core. Measured: docs/lab/testbed.md.
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstddef>
#include <cstdio>
#include <span>

#include "core_threads.hpp"

namespace {

constexpr long second_ns = 1'000'000'000;
constexpr long tick_ns = second_ns / 2000;

[[noreturn]] void tick(std::size_t core) {
  ovlp::lab::run_on(core, SCHED_FIFO, 1, "have a real-time priority");
  ::prctl(PR_SET_TIMERSLACK, 1);
  timespec next{};
  ::clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    next.tv_nsec += tick_ns;
    if (next.tv_nsec >= second_ns) {
      next.tv_nsec -= second_ns;
      ++next.tv_sec;
    }
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "ovlp-ticker: expected numbers of cores\n");
    return 2;
  }
  std::span<char* const> const arguments(argv, static_cast<std::size_t>(argc));
  ovlp::lab::for_each_core(arguments.subspan(1), [](std::size_t core) { tick(core); });
}
