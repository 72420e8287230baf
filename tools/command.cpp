// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>

#include <ovlp/flowgraph/error.hpp>

extern char** environ;

namespace ovlp::tools {
namespace {

/// A file without a name, in memory: unlike a pipe it never makes one end wait for the other.
class memory_file {
 public:
  memory_file() : file_(::memfd_create("ovlp", MFD_CLOEXEC)) { check(file_ >= 0); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  ~memory_file() { ::close(file_); }

  int descriptor() const { return file_; }

  void write(std::string_view text) const {
    while (!text.empty()) {
      ssize_t const written = ::write(file_, text.data(), text.size());
      check(written > 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    check(::lseek(file_, 0, SEEK_SET) == 0);
  }
  std::string read() const {
    std::string text;
    std::array<char, 65536> piece{};
    check(::lseek(file_, 0, SEEK_SET) == 0);
    for (ssize_t n = 0; (n = ::read(file_, piece.data(), piece.size())) != 0;) {
      check(n > 0);
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  static void check(bool good) {
    if (!good) throw io_error(std::string("no memory for a program's input and output: ") + std::strerror(errno));
  }
  int file_;
};

volatile std::sig_atomic_t was_interrupted = 0;
int put_off = 0;

bool to_be_interrupted() { return was_interrupted != 0 && put_off == 0; }

std::vector<std::string> with_environment(command const& what) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view const text = *entry;
    std::string_view const name = text.substr(0, text.find('='));
    bool replaced = false;
    for (auto const& [key, value] : what.environment) replaced = replaced || key == name;
    if (!replaced) all.emplace_back(text);
  }
  for (auto const& [key, value] : what.environment) all.push_back(key + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// A process group of its own, so that all of it can be ended.
pid_t start(command const& what, memory_file const& in, memory_file const& out, memory_file const& messages) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.descriptor(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<std::string> words = what.words, variables = with_environment(what);
  pid_t child = -1;
  int const error = ::posix_spawnp(&child, words.front().c_str(), &actions, &attributes, pointers(words).data(),
                                   pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) throw not_found("'" + what.words.front() + "' is not on PATH, or no file");
  if (error != 0) throw io_error("'" + what.words.front() + "' cannot be started: " + std::strerror(error));
  return child;
}

/// Waits for the process to end; false if `patience` ran out or the user interrupts.
bool ends_in_time(pid_t child, std::optional<std::chrono::seconds> patience) {
  using clock = std::chrono::steady_clock;
  auto const until = clock::now() + patience.value_or(std::chrono::hours(1000));
  int const handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) throw io_error(std::string("pidfd_open: ") + std::strerror(errno));
  bool ended = false;
  while (!ended && !to_be_interrupted() && clock::now() < until) {
    pollfd over{handle, POLLIN, 0};
    ended = ::poll(&over, 1, 100) > 0;
  }
  ::close(handle);
  return ended;
}

}  // namespace

std::string outcome::complaint() const {
  if (timed_out) return "took too long";
  std::string last;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  std::string const how = status > 128 ? "was ended by signal " + std::to_string(status - 128)
                                       : "ended with status " + std::to_string(status);
  return last.empty() ? how : last;
}

outcome run(command const& what) {
  if (to_be_interrupted()) throw interrupted{};
  memory_file const in, out, messages;
  in.write(what.input);
  pid_t const child = start(what, in, out, messages);
  bool const in_time = ends_in_time(child, what.patience);
  if (!in_time) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time && to_be_interrupted()) throw interrupted{};
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), !in_time, out.read(), messages.read()};
}

void notice_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { was_interrupted = 1; };
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

put_off_interrupts::put_off_interrupts() { ++put_off; }
put_off_interrupts::~put_off_interrupts() { --put_off; }

}  // namespace ovlp::tools
