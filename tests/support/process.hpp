// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

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

/// What a file holds; as much as can be read, for a process in /proc may end meanwhile.
inline std::string contents(std::filesystem::path const& file) {
  std::string text;
  int const from = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 65536> piece{};
  for (ssize_t n = 0; from >= 0 && (n = ::read(from, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  if (from >= 0) ::close(from);
  return text;
}

/// A command that runs in a process group of its own. What it prints is kept; whatever is left of it is killed at
/// the end of its life here.
class process {
 public:
  /// `input`: its standard input, which becomes this object's; without it /dev/null.
  explicit process(std::vector<std::string> const& command, int input = -1) {
    std::array<std::array<int, 2>, 2> pipes{};
    for (auto& ends : pipes) {
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    }
    if (input < 0) input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    std::vector<char*> argv;
    for (std::string const& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
      ::setpgid(0, 0);
      ::dup2(input, STDIN_FILENO);
      ::dup2(pipes[0][1], STDOUT_FILENO);
      ::dup2(pipes[1][1], STDERR_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::setpgid(id_, id_);
    ::close(input);
    for (std::size_t i = 0; i < 2; ++i) {
      ::close(pipes[i][1]);
      ::fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
      from_[i] = pipes[i][0];
    }
  }
  process(process const&) = delete;
  process& operator=(process const&) = delete;
  ~process() {
    kill_group(SIGCONT);
    kill_group(SIGKILL);
    if (!status_) ::waitpid(id_, nullptr, 0);
    for (int end : from_) {
      if (end >= 0) ::close(end);
    }
  }

  pid_t id() const { return id_; }
  void kill(int signal) const { ::kill(id_, signal); }
  void kill_group(int signal) const { ::killpg(id_, signal); }

  /// Its exit status, or 128 + the signal that killed it; nothing if it runs after `within`.
  std::optional<int> wait(duration within) {
    eventually(within, [&] {
      read();
      int status = 0;
      if (!status_ && ::waitpid(id_, &status, WNOHANG) == id_) {
        status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      }
      return status_.has_value();
    });
    // What it printed is in the pipe; what others of its group hold open does not matter here.
    read();
    return status_;
  }

  std::string const& out() { return read(), text_[0]; }
  std::string const& err() { return read(), text_[1]; }
  /// Waits until the text, or so many of them, stand in what it printed.
  bool prints(std::string const& text, duration within, std::size_t times = 1) {
    return eventually(within, [&] { return count(out(), text) + count(err(), text) >= times; });
  }

  static std::size_t count(std::string const& in, std::string const& text) {
    std::size_t found = 0;
    for (std::size_t at = in.find(text); at != std::string::npos; at = in.find(text, at + text.size())) ++found;
    return found;
  }

 private:
  void read() {
    for (std::size_t i = 0; i < 2; ++i) {
      std::array<char, 65536> piece{};
      for (ssize_t n = 0; (n = ::read(from_[i], piece.data(), piece.size())) > 0;) {
        text_[i].append(piece.data(), static_cast<std::size_t>(n));
      }
    }
  }

  pid_t id_ = -1;
  std::optional<int> status_;
  std::array<int, 2> from_{-1, -1};
  std::array<std::string, 2> text_;
};

/// How a shell command ended.
struct shell_outcome {
  int status = -1;   ///< of its exit; -1 if a signal ended it
  std::string text;  ///< what it printed, errors included
};

/// Runs a shell command to its end.
inline shell_outcome shell(std::string const& command) {
  std::FILE* const program = ::popen((command + " 2>&1").c_str(), "r");
  if (program == nullptr) throw std::runtime_error("popen");
  shell_outcome outcome;
  std::array<char, 4096> piece{};
  while (std::size_t const read = std::fread(piece.data(), 1, piece.size(), program)) {
    outcome.text.append(piece.data(), read);
  }
  int const status = ::pclose(program);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

/// The lines of a text.
inline std::vector<std::string> lines_of(std::string const& text) {
  std::istringstream from(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
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
class temporary_folder {
 public:
  temporary_folder() {
    char name[] = "/tmp/ovlp-test-XXXXXX";
    if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path const& path() const { return path_; }
  /// Writes a file and gives its name.
  std::string file(std::string const& name, std::string const& text, bool executable = false) const {
    std::ofstream(path_ / name) << text;
    if (executable) std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ovlp::testing
