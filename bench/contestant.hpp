// SPDX-License-Identifier: BSD-3-Clause
/// What every contestant shares: the clock it is timed with, its place on the machine, its one line of result.
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ovlp/base/statistics.hpp>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace bench {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

/// Seconds that passed since `start`.
inline double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// CPU seconds that this process has used so far, in the system too.
inline double process_cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The most memory that this process has had resident so far.
inline std::size_t peak_memory_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return std::size_t{1024} * static_cast<std::size_t>(used.ru_maxrss);
}

/// Keeps the calling thread, and the threads it starts from here on, on one core.
/// Errors: std::system_error when the machine has no such core or denies it.
inline void pin_to_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    throw std::system_error(errno, std::generic_category(), "pin to core " + std::to_string(core));
}

/// Of factors that are right; both definitions of it give about 1 or less. A NaN is not.
constexpr double most_residual = 10;

/// Prints the one line of JSON which `compare` reads.
inline void report(const json& result) { std::printf("%s\n", result.dump().c_str()); }

/// A message that shows when a part of it is missing, or of another place.
template <class Element>
void fill(std::span<Element> message) {
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = static_cast<Element>(i);
}
template <class Element>
bool is_filled(std::span<const Element> message) {
  for (std::size_t i = 0; i < message.size(); ++i)
    if (message[i] != static_cast<Element>(i)) return false;
  return true;
}

/// The result of a ping-pong.
/// Units: `round_trips_s` in seconds. `bandwidth_MBps` counts both directions of the median round trip,
/// 1 MB = 10^6 bytes; as one direction rests while the other sends, it is also the rate of one direction.
inline json round_trip_result(const char* contestant, std::size_t bytes, const std::vector<double>& round_trips_s) {
  const double median = ovlp::base::median(round_trips_s);
  return {{"contestant", contestant},
          {"bytes", bytes},
          {"rounds", round_trips_s.size()},
          {"seconds", std::accumulate(round_trips_s.begin(), round_trips_s.end(), 0.0)},
          {"median_us", 1e6 * median},
          {"mean_us", 1e6 * ovlp::base::mean(round_trips_s)},
          {"p99_us", 1e6 * ovlp::base::quantile(round_trips_s, 0.99)},
          {"bandwidth_MBps", 2e-6 * static_cast<double>(bytes) / median}};
}

}  // namespace bench
