// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include <chrono>
#include <cstdint>
#include <thread>

#include <ovlp/base/host.hpp>

namespace ovlp::overlap_bench {

void compute_for(double cpu_s) {
  double const end_s = base::thread_cpu_s() + cpu_s;
  std::uint64_t number = 1;
  while (base::thread_cpu_s() < end_s) {
    for (int i = 0; i < 256; ++i) number = number * 6364136223846793005 + 1442695040888963407;
    [[maybe_unused]] std::uint64_t volatile const kept = number;  // or the compiler leaves it out
  }
}

void start_at(double time_s) {
  constexpr double wake_up_s = 100e-6;  // a sleep takes that much longer, or it is spent spinning
  std::chrono::duration<double> const left(time_s - base::monotonic_s() - wake_up_s);
  if (left.count() > 0) std::this_thread::sleep_for(left);
  while (base::monotonic_s() < time_s) continue;
}

}  // namespace ovlp::overlap_bench
