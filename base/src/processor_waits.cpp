// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/processor_waits.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <ovlp/base/host.hpp>
#include <ovlp/base/streams.hpp>

namespace ovlp::base {
namespace {

constexpr double nanosecond = 1e-9;

/// Of threads that end meanwhile nothing is read.
std::map<int, double> read_delays() {
  std::map<int, double> all;
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::string const name = entry.path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc{}) continue;
    std::uint64_t ran_ns = 0, delayed_ns = 0;
    if (file_reader(entry.path() / "schedstat") >> ran_ns >> delayed_ns)
      all[thread] = nanosecond * static_cast<double>(delayed_ns);
  }
  return all;
}

/// Of the processors that this process may use.
struct processor_time {
  double busy_s = 0, stolen_s = 0;
};
processor_time read_processors() {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return {};
  auto const tick_s = 1 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  processor_time sum;
  file_reader from("/proc/stat");
  for (std::string line; std::getline(from, line) && line.starts_with("cpu");) {
    text_reader words(line.substr(3));
    std::size_t processor = 0;
    // In this order, in ticks.
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (line[3] == ' ' || !(words >> processor >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal))
      continue;  // the sum of all
    if (processor >= CPU_SETSIZE || !CPU_ISSET(processor, &usable)) continue;
    sum.busy_s += tick_s * static_cast<double>(user + nice + system + irq + softirq);
    sum.stolen_s += tick_s * static_cast<double>(steal);
  }
  return sum;
}

}  // namespace

processor_waits::processor_waits(bool own_quota) : own_quota_(own_quota), before_(read()) {}

processor_waits::state processor_waits::read() {
  auto const [busy_s, stolen_s] = read_processors();
  return {read_delays(), process_cpu_s(), stolen_s, busy_s, own_throttled_s()};
}

std::optional<processor_waits::figures> processor_waits::take() {
  state now = read();
  state const before = std::exchange(before_, now);
  if (now.delays_s.empty()) return std::nullopt;
  double const by_design_s = own_quota_ ? now.throttled_s - before.throttled_s : 0;
  double delayed_s = 0;
  for (auto const& [thread, so_far_s] : now.delays_s) {
    auto const was = before.delays_s.find(thread);
    bool const known = was != before.delays_s.end() && was->second <= so_far_s;  // else it is another one
    delayed_s += std::max(0.0, so_far_s - (known ? was->second : 0) - by_design_s);
  }
  double const cpu_s = now.cpu_s - before.cpu_s, busy_s = now.busy_s - before.busy_s;
  double const others_s = std::max(0.0, busy_s - cpu_s);
  double const stolen_s = busy_s > 0 ? (now.stolen_s - before.stolen_s) * std::min(1.0, cpu_s / busy_s) : 0;
  return figures{cpu_s, std::min(delayed_s, others_s) + stolen_s};
}

}  // namespace ovlp::base
