// SPDX-License-Identifier: BSD-3-Clause
#include "host.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace ovlp {
namespace {

double read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

std::size_t available_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

bool under_cpu_quota() {
  std::string first;
  // The group's own file for version 2, and version 1's, where this process sees its group as the root.
  if (std::ifstream("/sys/fs/cgroup/cpu.max") >> first) return first != "max";
  long quota = -1;
  if (std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota) return quota > 0;
  return false;
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string machine_name() {
  utsname machine{};
  ::uname(&machine);
  return machine.nodename;
}

std::int64_t peak_memory_bytes() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return std::int64_t{used.ru_maxrss} * 1024;
}

double thread_cpu_s() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double monotonic_s() { return read_clock(CLOCK_MONOTONIC); }

}  // namespace ovlp
