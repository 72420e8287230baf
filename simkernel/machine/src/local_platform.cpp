// SPDX-License-Identifier: BSD-3-Clause
#include "local_platform.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/modules.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/base/version.hpp>
#include <ovlp/machine/platform.hpp>

#include "known_platforms.hpp"

namespace ovlp::machine::measuring {
namespace {

using json = nlohmann::ordered_json;

constexpr char const* name = "local";

/// Under a limit on CPU time cores are as slow as it makes them in the long run.
struct usable_share {
  std::size_t cores = 1;
  double speed = 1;
};
usable_share usable() {
  auto const cores = static_cast<double>(base::available_cores());
  auto const limit = base::own_cpu_limit();
  if (!limit || limit->cores >= cores) return {base::available_cores(), 1};
  double const some = std::max(1.0, std::ceil(limit->cores));
  return {static_cast<std::size_t>(some), limit->cores / some};
}

/// Of the libraries: what the runtime costs depends on it.
#ifdef NDEBUG
constexpr char const* build = "";
#else
constexpr char const* build = ", a debug build";
#endif

/// The same; a file of a time when they went otherwise is not taken.
constexpr char const* how_messages_go = ", small messages in shared memory";

std::string on_this_machine() {
  auto const [cores, speed] = usable();
  std::string const limited = speed < 1 ? " at " + std::to_string(std::lround(100 * speed)) + " %" : "";
  return base::machine_name() + " (" + base::processor_name() + ", " + std::to_string(cores) + " cores" + limited +
         "), ovlp " + std::string(version()) + how_messages_go + build;
}

/// Empty: the environment does not say where.
std::filesystem::path cache_file() {
  auto const variable = [](char const* of) {
    char const* const value = std::getenv(of);  // NOLINT(concurrency-mt-unsafe): nobody writes it
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {  // else it does not count, says the XDG Base Directory Specification
    if (!variable("HOME").is_absolute()) return {};
    folder = variable("HOME") / ".cache";
  }
  std::string file = name + ("-" + on_this_machine());
  for (char& c : file) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (!plain) c = '-';
  }
  return folder / "ovlp" / (file + ".json");
}

std::string utc_now() {
  std::time_t const now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm date{};
  ::gmtime_r(&now, &date);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &date);
  return text.data();
}

void say(std::string const& line) { std::fprintf(stderr, "ovlp: platform local: %s\n", line.c_str()); }

/// platforms/local.json, with this machine's cores.
json shipped() {
  json made = json::parse(known_platforms().at(name));
  auto const [cores, speed] = usable();
  made["nodes"][0]["cores"] = made["host"]["cores"] = cores;
  made["nodes"][0]["speed"] = speed;
  // Up to there idle threads poll; never under a limit.
  made["effects"][0]["beyond_nodes"] = speed < 1 ? 0 : cores;
  return made;
}

/// What `ovlp-local` measures between two processes, whose idle threads poll for so long. Errors: ovlp::error.
json figures(std::string const& poll_us) {
  std::string const program = base::module_file("measuring this machine", "ovlp-local", "");
  constexpr std::chrono::seconds patience{20};
  base::outcome const ran = base::run({{program, "--nodes", "2", "--poll-us", poll_us},
                                       "",
                                       {{"OVLP_CLUSTER", ""}},  // that is of the program which asks
                                       patience});
  if (!ran.good()) throw io_error(ran.complaint());
  return json::parse(ran.out);
}

double significant(double value) {
  std::array<char, 32> digits{};
  char* const end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific, 3).ptr;
  std::from_chars(digits.data(), end, value);
  return value;
}

/// Source: docs/model.md, "Messages"; the figures are those of `ovlp calibrate`, lab/calibrate/.
json measured() {
  json const asleep = figures("0");
  json const polling = figures("50");
  auto const of = [](json const& from, char const* figure) { return from.at(figure).get<double>(); };
  auto const both_cpu_s = [&](std::string const& pattern) {
    return of(asleep, (pattern + "_sender_cpu_s").c_str()) + of(asleep, (pattern + "_receiver_cpu_s").c_str());
  };
  auto const left = [](double all, double known) { return std::max(0.0, all - known); };
  // A post, a leaf with its result and a wait; to another node there are two messages beside them, at both ends.
  double const steps_s = of(asleep, "three_steps_cpu_s");
  double const messages_s = left(both_cpu_s("small"), steps_s);
  // One at a time each of them is written by itself, and wakes its receiver.
  double const wakeup_s = left(both_cpu_s("awaited"), steps_s + messages_s) / 2;
  double const large_bytes = of(asleep, "large_bytes");
  auto const per_byte_s = [&](char const* end) {
    return left(of(asleep, end), steps_s / 2 + messages_s / 2 + wakeup_s) / large_bytes;
  };
  double const send_s = per_byte_s("large_sender_cpu_s"), receive_s = per_byte_s("large_receiver_cpu_s");
  // What is left of a round trip is latency. Between nodes that poll nobody is woken; on one core they would take it
  // from each other.
  double const latency_s =
      (usable().cores > 1 ? left(of(polling, "awaited_few_s"), steps_s + messages_s)
                          : left(of(asleep, "awaited_few_s"), steps_s + messages_s + 2 * wakeup_s)) /
      2;
  double const copied_s = (send_s + receive_s) * large_bytes;
  double const crossing_s = left(of(asleep, "awaited_large_s") - of(asleep, "awaited_s"), copied_s);
  constexpr double least_latency_s = 1e-7, fastest_bandwidth = 1e11;

  json made = shipped();
  made["processor"] = base::processor_name();
  made["nodes"][0]["launch_s"] = significant(of(asleep, "launch_s"));
  made["network"]["latency_s"] = significant(std::max(least_latency_s, latency_s));
  made["network"]["bandwidth_Bps"] = significant(large_bytes / std::max(crossing_s, large_bytes / fastest_bandwidth));
  json& costs = made["comm_cpu"];
  costs["per_message_s"] = significant(messages_s / 4);
  costs["per_byte_s"] = significant(send_s);
  costs["receive_per_byte_s"] = significant(receive_s);
  made["effects"][0]["send_s"] = significant(wakeup_s);
  made["runtime"]["per_step_s"] = significant(steps_s / 3);
  made["assumptions"] = {"This machine: its nodes share its cores evenly, as processes do that always compute.",
                         "Measured between two processes joined by its loopback, with empty objects, with 1.6 MB, and "
                         "one at a time. Costs "
                         "are CPU time, medians; latency and bandwidth follow from the shortest of the times."};
  made["calibration"] = {{"on", on_this_machine()}, {"at", utc_now()}, {"asleep", asleep}, {"polling", polling}};
  return made;
}

std::string about(json const& made, std::string const& more) {
  return "measured " + made.at("calibration").at("at").get<std::string>() + " on " +
         made.at("calibration").at("on").get<std::string>() + more;
}

/// While it lives other processes wait for it, so that they do not measure beside each other. Nothing where the folder
/// cannot be locked.
class folder_lock {
 public:
  explicit folder_lock(std::filesystem::path const& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ >= 0) ::flock(folder_, LOCK_EX);
  }
  folder_lock(folder_lock const&) = delete;
  folder_lock& operator=(folder_lock const&) = delete;
  ~folder_lock() {
    if (folder_ >= 0) ::close(folder_);
  }

 private:
  int const folder_;
};

/// None if there is none, or it is of no use.
std::optional<local_platform> kept_in(std::filesystem::path const& file) {
  std::error_code unknown;
  if (file.empty() || !std::filesystem::exists(file, unknown)) return std::nullopt;
  try {
    std::string const text = base::read_file(file);
    platform::parse(text, file);
    return local_platform{text, about(json::parse(text), ", kept in " + file.string())};
  } catch (std::exception const& useless) {
    say(std::string(useless.what()) + ": it is measured again");
    return std::nullopt;
  }
}

local_platform measure_and_keep(std::filesystem::path const& file) {
  double const start_s = base::monotonic_s();
  json made;
  try {
    made = measured();
    platform::parse(made.dump(), name);
  } catch (std::exception const& failed) {
    say(std::string("this machine could not be measured, so figures are those that come with ovlp: ") + failed.what());
    return {base::json_text(shipped()), "comes with ovlp, with this machine's cores; it could not be measured"};
  }
  std::string const text = base::json_text(made) + "\n";
  std::string const done = "measured this machine in " + base::fixed(base::monotonic_s() - start_s, 1) + " s";
  try {
    if (file.empty()) throw io_error("neither XDG_CACHE_HOME nor HOME says where");
    base::replace_file(file, text);
  } catch (std::exception const& unwritable) {
    say(done + "; each run does so, for it cannot be kept: " + unwritable.what());
    return {text, about(made, ", not kept")};
  }
  say(done + "; kept in " + file.string());
  return {text, about(made, ", kept in " + file.string())};
}

}  // namespace
}  // namespace ovlp::machine::measuring

namespace ovlp::machine {

local_platform const& find_local_platform() {
  static local_platform const found = [] {
    std::filesystem::path const file = measuring::cache_file();
    std::error_code says_replace_file;
    if (!file.empty()) std::filesystem::create_directories(file.parent_path(), says_replace_file);
    measuring::folder_lock const alone(file.parent_path());
    std::optional<local_platform> const kept = measuring::kept_in(file);
    return kept ? *kept : measuring::measure_and_keep(file);
  }();
  return found;
}

}  // namespace ovlp::machine
