// SPDX-License-Identifier: BSD-3-Clause
#include "node_clocks.hpp"

#include <chrono>
#include <thread>

#include <ovlp/base/host.hpp>

namespace ovlp::lab::calibrate {

node_limits process_clocks::own_limits() {
  auto const cores = static_cast<double>(base::available_cores());
  auto const quota = base::own_cpu_limit();
  if (!quota || quota->cores >= cores) return {cores, 0};
  return {quota->cores, quota->period_s};
}

double process_clocks::node_cpu_s(std::uint32_t) const { return base::process_cpu_s(); }
double process_clocks::thread_cpu_s() const { return base::thread_cpu_s(); }
void process_clocks::rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace ovlp::lab::calibrate
