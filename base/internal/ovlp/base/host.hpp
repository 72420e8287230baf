// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ovlp::base {

// The machine that this process runs on.

/// Cores that this process may use.
std::size_t available_cores();
/// A limit on the CPU time of this process by a control group.
struct cpu_limit {
  double cores;     ///< in the long run
  double period_s;  ///< in which the budget is renewed
};
/// The tightest one of its group and of those around it.
std::optional<cpu_limit> own_cpu_limit();
/// For how long such limits have held its group back, all processors of all groups added up.
double own_throttled_s();
/// The model's name, as in /proc/cpuinfo; "unknown" if there is none.
std::string processor_name();
std::string machine_name();
/// Largest resident memory of this process so far.
std::int64_t peak_memory_bytes();
/// CPU seconds of the calling OS thread, and of all threads of this process.
double thread_cpu_s();
double process_cpu_s();
/// As thread_cpu_s(), for who asks often: the system's clock of CPU time takes some 0.5 us to read, the monotonic one
/// 0.02 us. What has passed since the thread asked last counts as computed if it is less than 5 us, in which no thread
/// waits and comes back; else the system's clock is read. Never goes back.
double running_cpu_s();
/// Seconds on a clock that only goes forward.
double monotonic_s();
/// Names that clock: processes for which it is the same text have the same one. "" if the system does not say.
std::string monotonic_clock_name();

}  // namespace ovlp::base
