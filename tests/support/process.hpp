// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::testing {

using namespace std::chrono_literals;
using duration = std::chrono::duration<double>;

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return duration(std::chrono::steady_clock::now() - start).count();
}

/// Looks again and again until the condition holds or the time is over; says which.
inline bool eventually(duration within, std::function<bool()> const& condition) {
  auto const start = std::chrono::steady_clock::now();
  while (!condition()) {
    if (seconds_since(start) > within.count()) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

/// What a file holds; nothing if it cannot be read, for a process in /proc may end meanwhile.
inline std::string contents(std::filesystem::path const& file) {
  try {
    return base::read_file(file);
  } catch (error const&) {
    return "";
  }
}

using base::lines_of;

/// How often a text stands in another one.
inline std::size_t count(std::string const& in, std::string const& text) {
  std::size_t found = 0;
  for (std::size_t at = in.find(text); at != std::string::npos; at = in.find(text, at + text.size())) ++found;
  return found;
}

using base::process;

/// Waits until the text, or so many of them, stand in what the process printed.
inline bool prints(process& who, std::string const& text, duration within, std::size_t times = 1) {
  return eventually(within, [&] { return count(who.out(), text) + count(who.err(), text) >= times; });
}

/// How a shell command ended.
struct shell_outcome {
  int status = -1;   ///< of its exit; 128 + the number of the signal that ended it
  std::string text;  ///< what it printed, errors included
};

/// Runs a shell command to its end.
inline shell_outcome shell(std::string const& command) {
  base::outcome const ended = base::run({{"/bin/sh", "-c", command + " 2>&1"}});
  return {ended.status, ended.out};
}

/// All processes that run now, zombies not among them.
inline std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
    std::string const name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos) found.push_back(static_cast<pid_t>(std::stoi(name)));
  }
  return found;
}
inline std::filesystem::path proc_of(pid_t process) { return std::filesystem::path("/proc") / std::to_string(process); }

/// The processes with this text in their arguments.
inline std::vector<pid_t> processes_with(std::string const& argument) {
  std::vector<pid_t> found;
  for (pid_t process : all_processes()) {
    if (contents(proc_of(process) / "cmdline").find(argument) != std::string::npos) found.push_back(process);
  }
  return found;
}

/// The TCP ports (version 4) on which a process listens.
inline std::vector<std::uint16_t> listening_ports(pid_t process) {
  std::vector<std::string> sockets;
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator(proc_of(process) / "fd", ignored)) {
    std::string const target = std::filesystem::read_symlink(entry.path(), ignored).string();
    if (target.starts_with("socket:[")) sockets.push_back(target.substr(8, target.size() - 9));
  }
  std::vector<std::uint16_t> ports;
  for (std::string const& line : lines_of(contents("/proc/net/tcp"))) {
    std::istringstream words(line);
    std::string slot, local, remote, state, skipped, inode;
    words >> slot >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    if (state != "0A" || std::find(sockets.begin(), sockets.end(), inode) == sockets.end()) continue;
    ports.push_back(static_cast<std::uint16_t>(std::stoul(local.substr(local.find(':') + 1), nullptr, 16)));
  }
  return ports;
}

/// A folder that lives as long as this.
class temporary_folder : public base::temporary_folder {
 public:
  /// Writes a file and gives its name.
  std::string file(std::string const& name, std::string const& text, bool executable = false) const {
    base::write_file(path() / name, text);
    if (executable) std::filesystem::permissions(path() / name, std::filesystem::perms::owner_all);
    return path() / name;
  }
};

}  // namespace ovlp::testing
