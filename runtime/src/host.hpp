// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ovlp {

// The machine that this process runs on.

/// Cores that this process may use.
std::size_t available_cores();
/// Whether a control group limits the CPU time of this process.
bool under_cpu_quota();
/// As in /proc/cpuinfo.
std::string processor_name();
std::string machine_name();
/// Largest resident memory of this process so far.
std::int64_t peak_memory_bytes();
/// CPU seconds of the calling OS thread.
double thread_cpu_s();
/// Seconds on a clock that only goes forward; the same for all processes of the machine.
double monotonic_s();

}  // namespace ovlp
