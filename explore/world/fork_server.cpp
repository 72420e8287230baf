// SPDX-License-Identifier: BSD-3-Clause
#include "world/fork_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <ovlp/base/host.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::explore {

// Address space; of memory it takes what is written.
constexpr std::size_t most_kept = std::size_t{256} << 20;
constexpr std::size_t most_words = std::size_t{1} << 19, most_bytes = std::size_t{4} << 20, most_results = 1024;
constexpr std::size_t most_objects = std::size_t{1} << 18;

struct shared_report::contents {
  bool ended;
  bool full;  ///< something had no room
  std::size_t words, bytes, results, objects;
  std::size_t choices;
  bool given_up;
  std::size_t failure_bytes;
  char failure[2048];
  std::uint64_t result[most_results];
  std::uint64_t word[most_words];         ///< moments: count, chosen, (name, source, kind)...; count, touched...
  char byte[most_bytes];                  ///< texts: name, size, bytes
  std::uint64_t object[most_objects][2];  ///< name, hash
  std::size_t kept_bytes;
  std::byte kept[most_kept];  ///< results: size of the inline part, size, bytes
};

shared_report::shared_report() {
  void* const made =
      ::mmap(nullptr, sizeof(contents), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "memory for reports of runs");
  shared_ = static_cast<contents*>(made);
}

shared_report::~shared_report() { ::munmap(shared_, sizeof(contents)); }

void shared_report::chooses(std::span<choice const> possible, std::size_t chosen) {
  if (shared_->full || shared_->words + 2 + 3 * possible.size() > most_words) {
    shared_->full = true;
    return;
  }
  std::uint64_t* to = shared_->word + shared_->words;
  *to++ = possible.size();
  *to++ = chosen;
  for (choice const& one : possible) {
    *to++ = one.name;
    *to++ = one.source;
    *to++ = static_cast<std::uint64_t>(one.kind);
  }
  shared_->words = static_cast<std::size_t>(to - shared_->word);
}

void shared_report::touched(std::span<resource const> what) {
  if (shared_->full || shared_->words + 1 + what.size() > most_words) {
    shared_->full = true;
    return;
  }
  std::uint64_t* const to = shared_->word + shared_->words;
  *to = what.size();
  std::ranges::copy(what, to + 1);
  shared_->words += 1 + what.size();
}

void shared_report::text(std::uint64_t name, std::string_view of) {
  std::size_t const size = of.size();
  if (shared_->bytes + sizeof name + sizeof size + size > most_bytes) return;
  char* to = shared_->byte + shared_->bytes;
  std::memcpy(to, &name, sizeof name);
  std::memcpy(to + sizeof name, &size, sizeof size);
  std::memcpy(to + sizeof name + sizeof size, of.data(), size);
  shared_->bytes += sizeof name + sizeof size + size;
}

void shared_report::object(std::uint64_t name, std::uint64_t hash) {
  if (shared_->objects == most_objects) return;
  shared_->object[shared_->objects][0] = name;
  shared_->object[shared_->objects][1] = hash;
  ++shared_->objects;
}

void shared_report::result(kept_object const& of) {
  std::size_t const sizes[] = {of.inline_bytes, of.bytes.size()};
  if (shared_->kept_bytes + sizeof sizes + of.bytes.size() > most_kept) {
    shared_->full = true;
    return;
  }
  std::byte* const to = shared_->kept + shared_->kept_bytes;
  std::memcpy(to, sizes, sizeof sizes);
  std::ranges::copy(of.bytes, to + sizeof sizes);
  shared_->kept_bytes += sizeof sizes + of.bytes.size();
}

std::vector<kept_object> shared_report::results() const {
  std::vector<kept_object> all;
  for (std::byte const* at = shared_->kept; at < shared_->kept + shared_->kept_bytes;) {
    std::size_t sizes[2];
    std::memcpy(sizes, at, sizeof sizes);
    at += sizeof sizes;
    all.push_back({{at, at + sizes[1]}, sizes[0]});
    at += sizes[1];
  }
  return all;
}

void shared_report::ended(outcome const& how) {
  shared_->failure_bytes = std::min(how.failure.size(), sizeof shared_->failure);
  std::memcpy(shared_->failure, how.failure.data(), shared_->failure_bytes);
  shared_->results = std::min(how.results.size(), most_results);
  std::copy_n(how.results.begin(), shared_->results, shared_->result);
  shared_->choices = how.choices;
  shared_->given_up = how.given_up;
  shared_->ended = true;
}

void shared_report::clear() {
  shared_->ended = shared_->full = shared_->given_up = false;
  shared_->kept_bytes = shared_->words = shared_->bytes = shared_->results = shared_->objects = shared_->choices =
      shared_->failure_bytes = 0;
}

bool shared_report::has_ended() const { return shared_->ended; }

answer shared_report::read() const {
  answer made;
  made.outcome = {{shared_->failure, shared_->failure_bytes},
                  {shared_->result, shared_->result + shared_->results},
                  shared_->choices,
                  shared_->given_up};
  std::uint64_t const* from = shared_->word;
  std::uint64_t const* const end = from + shared_->words;
  while (from < end) {
    moment& now = made.moments.emplace_back();
    std::size_t const possible = *from++;
    now.chosen = *from++;
    for (std::size_t i = 0; i < possible; ++i, from += 3) {
      now.possible.push_back({from[0], from[1], static_cast<choice::kind_type>(from[2])});
    }
    if (from == end) break;  // the process ended in it
    std::size_t const touched = *from++;
    now.touched.assign(from, from + touched);
    from += touched;
  }
  for (char const* at = shared_->byte; at < shared_->byte + shared_->bytes;) {
    std::uint64_t name = 0;
    std::size_t size = 0;
    std::memcpy(&name, at, sizeof name);
    std::memcpy(&size, at + sizeof name, sizeof size);
    at += sizeof name + sizeof size;
    made.texts.emplace_back(name, std::string(at, size));
    at += size;
  }
  for (std::size_t i = 0; i < shared_->objects; ++i) {
    made.objects.emplace_back(shared_->object[i][0], shared_->object[i][1]);
  }
  if (shared_->full)
    made.outcome.failure += made.outcome.failure.empty() ? "" : "; its choices are too many to be noted";
  return made;
}

fork_server::fork_server(int talks_on)
    : talk_(talks_on), said_(static_cast<int>(::memfd_create("what a run says", MFD_CLOEXEC))) {
  if (said_ < 0) throw std::system_error(errno, std::generic_category(), "a file for what runs say");
}

std::string fork_server::read_line() {
  for (;;) {
    if (std::size_t const end = buffered_.find('\n'); end != std::string::npos) {
      std::string const line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    char part[65536];
    ssize_t const got = ::read(talk_, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(0);  // nobody asks any more
    buffered_.append(part, static_cast<std::size_t>(got));
  }
}

request fork_server::serve() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a run touches little memory: to clear a huge page costs a tenth of it
  for (;;) {
    request asked = read_request(read_line());
    report_.clear();
    if (::ftruncate(said_, 0) != 0 || ::lseek(said_, 0, SEEK_SET) != 0)
      throw std::system_error(errno, std::generic_category(), "a file for what runs say");
    std::fflush(nullptr);
    pid_t const run = ::fork();
    if (run < 0) throw std::system_error(errno, std::generic_category(), "a process for a run");
    if (run == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(talk_);
      int const nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      ::dup2(nothing, STDOUT_FILENO);
      ::close(nothing);
      ::dup2(said_, STDERR_FILENO);
      return asked;
    }
    std::string const line = text_of(wait_for(run, asked.most_s)) + '\n';
    if (asked.is_expected) expected_ = report_.results();
    for (std::size_t done = 0; done < line.size();) {
      ssize_t const put = ::write(talk_, line.data() + done, line.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) ::_exit(0);
      done += static_cast<std::size_t>(put);
    }
  }
}

std::string fork_server::last_line() const {
  char text[4096];
  off_t const size = ::lseek(said_, 0, SEEK_END);
  off_t const from = std::max<off_t>(0, size - static_cast<off_t>(sizeof text));
  ssize_t const got = ::pread(said_, text, sizeof text, from);
  std::string const line = base::one_line(base::last_line({text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))}));
  return line.empty() ? "" : "; it says: " + line.substr(0, 300);
}

answer fork_server::wait_for(pid_t run, double most_s) {
  double const begun_s = base::monotonic_s();
  int const process = static_cast<int>(::syscall(SYS_pidfd_open, run, 0));
  pollfd ends{process, POLLIN, 0};
  int const came = ::poll(&ends, 1, static_cast<int>(1000 * most_s));
  if (came == 0) ::kill(run, SIGKILL);
  int status = 0;
  ::waitpid(run, &status, 0);
  ::close(process);
  answer made = report_.read();
  made.outcome.seconds = base::monotonic_s() - begun_s;
  made.outcome.too_slow = came == 0;
  std::string& failure = made.outcome.failure;
  if (came == 0) {
    failure =
        "it has not ended after " + base::fixed(most_s, 1) +
        " s: it waits for something outside of the run, or a step computes for ever; or --run-seconds allows too few";
  } else if (WIFSIGNALED(status)) {
    failure = "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) +
              ") ended the process" + last_line();
  } else if (failure.empty() && !made.outcome.given_up && WEXITSTATUS(status) != 0) {
    failure = "the program ended with status " + std::to_string(WEXITSTATUS(status)) + last_line();
  } else if (failure.empty() && !made.outcome.given_up && !report_.has_ended()) {
    failure = "the program ended before its run had" + last_line();
  }
  return made;
}

}  // namespace ovlp::explore
