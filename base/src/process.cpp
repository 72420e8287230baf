// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>
#include <system_error>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

extern char** environ;

namespace ovlp::base {
namespace {

/// Of what a program prints that talks with us.
constexpr std::size_t kept_bytes = std::size_t{1} << 16;
constexpr std::size_t longest_line_bytes = std::size_t{1} << 24;

using clock = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

/// Closes it at the end, if it is still here.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {
    if (number < 0)
      throw io_error(std::string("no descriptor for a program's input or output: ") + std::strerror(errno));
  }
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor(descriptor const&) = delete;
  descriptor& operator=(descriptor const&) = delete;
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct pipe_ends {
  descriptor read;
  descriptor write;
};

/// `make(int*)`: the system's call that gives two descriptors, or not 0.
template <class Make>
pipe_ends two_ends(Make const& make) {
  std::array<int, 2> ends{-1, -1};
  if (make(ends.data()) != 0) ends = {-1, -1};
  return {descriptor(ends[0]), descriptor(ends[1])};
}

pipe_ends make_pipe() {
  return two_ends([](int* ends) { return ::pipe2(ends, O_CLOEXEC); });
}

/// Each end is read and written; the second one is for the program.
pipe_ends make_socket_pair() {
  return two_ends([](int* ends) { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); });
}

/// A file without a name, in memory: unlike a pipe it makes nobody wait who writes to it.
descriptor holding(std::string_view text) {
  descriptor file(::memfd_create("ovlp-input", MFD_CLOEXEC));
  for (off_t at = 0; !text.empty();) {
    ssize_t const written = ::pwrite(file.number(), text.data(), text.size(), at);
    if (written < 0) throw io_error(std::string("no memory for a program's input: ") + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
  return file;
}

std::vector<std::string> with_environment(command const& what) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view const text = *entry;
    std::string_view const name = text.substr(0, text.find('='));
    bool const replaced = std::any_of(what.environment.begin(), what.environment.end(),
                                      [&](auto const& variable) { return variable.first == name; });
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

/// `streams`: which of our descriptors become which of its own; input, output and errors that are not among them are
/// ours.
pid_t spawn(command const& what, std::vector<std::pair<int, int>> const& streams) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (auto const& [ours, its] : streams) ::posix_spawn_file_actions_adddup2(&actions, ours, its);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  if (!what.shares_streams) {
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);  // its own number
  }
  std::vector<std::string> words = what.words, variables = with_environment(what);
  pid_t child = -1;
  int const error = ::posix_spawnp(&child, words.front().c_str(), &actions, &attributes, pointers(words).data(),
                                   pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) throw io_error("'" + what.words.front() + "' is not on PATH, or no file");
  if (error != 0) throw io_error("'" + what.words.front() + "' cannot be started: " + std::strerror(error));
  return child;
}

double seconds_of(timeval const& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

std::filesystem::path find_program(std::string const& name) {
  auto const can_run = [](std::filesystem::path const& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return can_run(name) ? name : "";
  char const* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  text_reader folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::filesystem::path file = std::filesystem::path(folder) / name;
    if (can_run(file)) return file;
  }
  return {};
}

process::process(command const& what) : has_group_(!what.shares_streams) {
  if (what.shares_streams) {
    id_ = spawn(what, {});
  } else {
    descriptor const in = holding(what.input);
    bool const kept = what.output.empty();
    std::optional<descriptor> file;
    std::optional<pipe_ends> out, err;
    std::vector<std::pair<int, int>> streams{{in.number(), 0}};
    if (kept) {
      out.emplace(make_pipe());
      err.emplace(make_pipe());
      streams.insert(streams.end(), {{out->write.number(), 1}, {err->write.number(), 2}});
    } else {
      file.emplace(::open(what.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
      streams.insert(streams.end(), {{file->number(), 1}, {file->number(), 2}});
    }
    std::optional<pipe_ends> talk;
    if (what.talks_on != command::none) {
      talk.emplace(make_socket_pair());
      streams.emplace_back(talk->write.number(), what.talks_on);
      if (what.talks_on == 0) streams.emplace_back(talk->write.number(), 1);
    }
    id_ = spawn(what, streams);
    if (kept) from_ = {out->read.release(), err->read.release()};
    for (int end : from_) {
      if (end >= 0) ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    if (talk) talk_ = talk->read.release();
  }
  handle_ = static_cast<int>(::syscall(SYS_pidfd_open, id_, 0));
}

process::~process() {
  if (!status_) {
    kill_group(SIGKILL);
    reap(0);
  }
  for (int file : {handle_, from_[0], from_[1], talk_}) {
    if (file >= 0) ::close(file);
  }
}

int process::watched() const { return descriptor(::fcntl(handle_, F_DUPFD_CLOEXEC, 0)).release(); }

void process::kill(int signal) const { ::kill(id_, signal); }
void process::kill_group(int signal) const { ::kill(has_group_ ? -id_ : id_, signal); }

bool process::reap(int flags) {
  int status = 0;
  rusage used{};
  pid_t found = 0;
  do {
    found = ::wait4(id_, &status, flags, &used);
  } while (found < 0 && errno == EINTR);
  if (found != id_) return false;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  cpu_s_ = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  return true;
}

void process::read() {
  for (std::size_t i = 0; i < from_.size(); ++i) {
    std::array<char, 65536> piece{};
    ssize_t got = 0;
    while (from_[i] >= 0 && (got = ::read(from_[i], piece.data(), piece.size())) > 0) {
      text_[i].append(piece.data(), static_cast<std::size_t>(got));
      if (talk_ >= 0 && text_[i].size() > 2 * kept_bytes) text_[i].erase(0, text_[i].size() - kept_bytes);
    }
    if (from_[i] >= 0 && got == 0) ::close(std::exchange(from_[i], -1));
  }
}

std::optional<int> process::wait(seconds at_most) {
  auto const until = clock::now() + std::chrono::duration_cast<clock::duration>(at_most);
  while (!status_ && !reap(WNOHANG)) {
    read();
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    if (left <= 0) break;
    std::array<pollfd, 3> over{{{handle_, POLLIN, 0}, {from_[0], POLLIN, 0}, {from_[1], POLLIN, 0}}};
    ::poll(over.data(), over.size(), static_cast<int>(std::min<decltype(left)>(left, 100)));
  }
  read();
  return status_;
}

bool process::say(std::string const& line, seconds at_most) {
  auto const until = clock::now() + std::chrono::duration_cast<clock::duration>(at_most);
  std::string const text = line + "\n";
  std::string_view left = text;
  for (;;) {
    ssize_t const sent = ::send(talk_, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return true;
    if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
    if (left.empty()) return true;
    if (!waits_for(POLLOUT, until)) return false;
  }
}

void process::hang_up() { ::shutdown(talk_, SHUT_WR); }

/// Until it can be talked with, or has printed something; not for long. False: the time is over.
bool process::waits_for(short events, clock::time_point until) {
  end_if_interrupted();
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
  if (left <= 0) return false;
  std::array<pollfd, 3> any{{{talk_, events, 0}, {from_[0], POLLIN, 0}, {from_[1], POLLIN, 0}}};
  ::poll(any.data(), any.size(), static_cast<int>(std::min<decltype(left)>(left, 100)));
  if (any[1].revents != 0 || any[2].revents != 0) read();  // else it might wait for us
  return true;
}

process::heard process::hear(std::string& line, seconds at_most) {
  auto const until = clock::now() + std::chrono::duration_cast<clock::duration>(at_most);
  for (std::size_t looked_at = 0;;) {
    if (std::size_t const end = said_.find('\n', looked_at); end != std::string::npos) {
      line.assign(said_, 0, end);
      said_.erase(0, end + 1);
      return heard::line;
    }
    looked_at = said_.size();
    if (looked_at > longest_line_bytes) throw io_error("it says a line that does not end");
    std::array<char, 65536> piece;  // NOLINT(*-member-init): filling it takes longer than a short line
    ssize_t const got = ::recv(talk_, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got > 0) {
      said_.append(piece.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return heard::end;
    } else if (!waits_for(POLLIN, until)) {
      return heard::nothing;
    }
  }
}

namespace {

std::atomic<int> interrupting_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a handler sets it
std::atomic<int> put_off = 0;

bool to_be_interrupted() { return interrupting_signal != 0 && put_off == 0; }

}  // namespace

std::string outcome::complaint() const {
  if (timed_out) return "took too long";
  if (std::string last = last_line(err); !last.empty()) return last;
  return status > 128 ? "was ended by signal " + std::to_string(status - 128)
                      : "ended with status " + std::to_string(status);
}

outcome run(command const& what) {
  constexpr seconds look_up{0.1}, grace{2};
  end_if_interrupted();
  process started(what);
  auto const begun = clock::now();
  auto const has_time = [&] { return !what.time_limit || clock::now() - begun < *what.time_limit; };
  std::optional<int> status;
  while (!status && has_time() && !to_be_interrupted()) status = started.wait(look_up);
  bool const in_time = status.has_value();
  if (!in_time) {
    started.kill_group(SIGTERM);
    status = started.wait(grace);
    started.kill_group(SIGKILL);
    if (!status) status = started.wait(grace);
    end_if_interrupted();
  }
  return {status.value_or(128 + SIGKILL), !in_time, started.out(), started.err(), started.cpu_s()};
}

void notice_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { interrupting_signal = signal; };
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

int noticed_interrupt() { return interrupting_signal; }

void end_if_interrupted() {
  if (to_be_interrupted()) throw interrupted{};
}

void end_on_interrupt_with(std::string const& line) {
  static std::atomic<std::string const*> said = nullptr;
  static std::deque<std::string> all;  // a handler may be reading an earlier one
  said = &all.emplace_back(line + "\n");
  struct sigaction action {};
  action.sa_handler = [](int) {
    std::string const& text = *said;
    [[maybe_unused]] ssize_t const written = ::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(130);
  };
  ::sigaction(SIGINT, &action, nullptr);
}

put_off_interrupts::put_off_interrupts() { ++put_off; }
put_off_interrupts::~put_off_interrupts() { --put_off; }

}  // namespace ovlp::base
