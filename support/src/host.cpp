// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/support/host.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace ovlp::support {
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

namespace {

/// Where a hierarchy of control groups is mounted: version 2, or the one of version 1 that limits CPU time.
std::string mount_of_groups(bool second_version) {
  std::ifstream mounts("/proc/self/mounts");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string device, folder, type, options;
    words >> device >> folder >> type >> options;
    bool const limits_cpu = ("," + options + ",").find(",cpu,") != std::string::npos;
    if (second_version ? type == "cgroup2" : type == "cgroup" && limits_cpu) return folder;
  }
  return "";
}

std::optional<cpu_limit> limit_of_group(std::string const& folder, bool second_version) {
  double quota = -1, period = 0;
  if (second_version) {
    std::string first;  // or "max"
    std::ifstream from(folder + "/cpu.max");
    if (!(from >> first >> period) || first == "max") return std::nullopt;
    quota = std::strtod(first.c_str(), nullptr);
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return cpu_limit{quota / period, 1e-6 * period};
}

}  // namespace

std::optional<cpu_limit> own_cpu_limit() {
  std::optional<cpu_limit> tightest;
  std::ifstream groups("/proc/self/cgroup");  // NUMBER:CONTROLLERS:PATH
  for (std::string line; std::getline(groups, line);) {
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    bool const second_version = controllers.empty();
    if (!second_version && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    std::string const mount = mount_of_groups(second_version);
    if (mount.empty()) continue;
    for (std::string path = line.substr(second + 1);; path.erase(path.find_last_of('/'))) {
      auto const limit = limit_of_group(mount + path, second_version);
      if (limit && (!tightest || limit->cores < tightest->cores)) tightest = limit;
      if (path.find('/') == std::string::npos) break;
    }
  }
  return tightest;
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string monotonic_clock_name() {
  // The clock counts from the system's boot; a time namespace moves it.
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::array<char, 64> name_space{};
  if (!std::getline(file, boot)) return "";
  if (::readlink("/proc/self/ns/time", name_space.data(), name_space.size() - 1) < 0) return boot;
  return boot + " " + name_space.data();
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
double process_cpu_s() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
double monotonic_s() { return read_clock(CLOCK_MONOTONIC); }

}  // namespace ovlp::support
