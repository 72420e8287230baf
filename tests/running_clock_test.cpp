// SPDX-License-Identifier: BSD-3-Clause
// The clock of CPU time that is read often.
#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <thread>

#include <ovlp/base/host.hpp>

using ovlp::base::monotonic_s;
using ovlp::base::running_cpu_s;
using ovlp::base::thread_cpu_s;

namespace {

constexpr double too_short_to_wait_s = 5e-6;

void compute(double seconds) {
  double const until_s = monotonic_s() + seconds;
  while (monotonic_s() < until_s) continue;
}

}  // namespace

TEST_CASE("the clock that is cheap to read is the system's, and never goes back, however short a thread waits") {
  unsigned const seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  double before_s = running_cpu_s();
  int off = 0;
  constexpr int times = 2000;
  for (int i = 0; i < times; ++i) {
    switch (random() % 8) {
      case 0: std::this_thread::sleep_for(std::chrono::microseconds(random() % 200)); break;
      case 1: compute(200e-6); break;
      case 2: std::this_thread::yield(); break;
      default: compute(static_cast<double>(random() % 20) * 1e-6);
    }
    double const least_s = thread_cpu_s(), told_s = running_cpu_s(), most_s = thread_cpu_s();
    REQUIRE(told_s >= before_s);
    if (told_s < least_s - too_short_to_wait_s || told_s > most_s + too_short_to_wait_s) ++off;
    before_s = told_s;
  }
  CHECK(off <= times / 50);  // an interrupt may come between its two readings
}

TEST_CASE("who asks all the time is told what the system's clock says in the end") {
  double const begun_s = thread_cpu_s(), told_s = running_cpu_s();
  for (int i = 0; i < 200'000; ++i) static_cast<void>(running_cpu_s());
  double const taken_s = thread_cpu_s() - begun_s;
  CHECK(running_cpu_s() - told_s <= taken_s * 1.02 + too_short_to_wait_s);
  CHECK(running_cpu_s() - told_s >= taken_s * 0.98 - too_short_to_wait_s);
}
