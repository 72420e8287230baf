// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/host.hpp>
#include <ovlp/base/streams.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>

namespace ovlp::base {
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
  file_reader mounts("/proc/self/mounts");
  std::string line;
  while (std::getline(mounts, line)) {
    text_reader words(line);
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
    file_reader from(folder + "/cpu.max");
    if (!(from >> first >> period) || first == "max") return std::nullopt;
    text_reader(first) >> quota;
  } else {
    file_reader(folder + "/cpu.cfs_quota_us") >> quota;
    file_reader(folder + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return cpu_limit{quota / period, 1e-6 * period};
}

double throttled_of_group(std::string const& folder) {
  file_reader from(folder + "/cpu.stat");
  std::string key;
  for (std::uint64_t value = 0; from >> key >> value;) {
    if (key == "throttled_usec") return 1e-6 * static_cast<double>(value);
    if (key == "throttled_time") return 1e-9 * static_cast<double>(value);
  }
  return 0;
}

/// Calls visit(folder, second_version) for this process's group and those around it.
template <class Visit>
void each_own_group(Visit const& visit) {
  file_reader groups("/proc/self/cgroup");  // NUMBER:CONTROLLERS:PATH
  for (std::string line; std::getline(groups, line);) {
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    bool const second_version = controllers.empty();
    if (!second_version && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    std::string const mount = mount_of_groups(second_version);
    if (mount.empty()) continue;
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    for (;; path.erase(path.find_last_of('/'))) {
      visit(mount + path, second_version);
      if (path.find('/') == std::string::npos) break;
    }
  }
}

}  // namespace

std::optional<cpu_limit> own_cpu_limit() {
  std::optional<cpu_limit> tightest;
  each_own_group([&](std::string const& folder, bool second_version) {
    auto const limit = limit_of_group(folder, second_version);
    if (limit && (!tightest || limit->cores < tightest->cores)) tightest = limit;
  });
  return tightest;
}

double own_throttled_s() {
  double sum_s = 0;
  each_own_group([&](std::string const& folder, bool) { sum_s += throttled_of_group(folder); });
  return sum_s;
}

std::string processor_name() {
  file_reader info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string monotonic_clock_name() {
  // The clock counts from the system's boot; a time namespace moves it.
  file_reader file("/proc/sys/kernel/random/boot_id");
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

namespace {

constexpr double too_short_to_wait_s = 5e-6;
thread_local double asked_at_s = -1, told_s = 0;

}  // namespace

double running_cpu_s() {
  double const now_s = monotonic_s(), since_s = now_s - asked_at_s;
  if (since_s < too_short_to_wait_s) {
    told_s += since_s;
    asked_at_s = now_s;
  } else {
    told_s = std::max(told_s, thread_cpu_s());
    asked_at_s = monotonic_s();
  }
  return told_s;
}

}  // namespace ovlp::base
