// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include <ovlp/base/error.hpp>

extern char** environ;

namespace ovlp::real {
namespace {

/// A pipe's ends, or a socket pair's: what is written to a child that has ended must not raise a signal.
class pipe_ends {
 public:
  explicit pipe_ends(bool sockets = false) {
    int const made =
        sockets ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) : ::pipe2(ends_.data(), O_CLOEXEC);
    if (made != 0) throw io_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  pipe_ends(pipe_ends const&) = delete;
  pipe_ends& operator=(pipe_ends const&) = delete;
  ~pipe_ends() {
    for (int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  int take(int which) { return std::exchange(ends_[static_cast<std::size_t>(which)], -1); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

constexpr std::size_t longest_line_bytes = 1024 * 1024;  // of what a process prints; then it is cut
constexpr std::size_t longest_quoted_bytes = 500;        // of such a line in a message of ours

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

struct launcher::child {
  child(boost::asio::io_context& context, node_id n, std::array<std::shared_ptr<output>, 2> const& to)
      : node(n),
        out{boost::asio::posix::stream_descriptor(context), boost::asio::posix::stream_descriptor(context)},
        printed(to) {}
  node_id node;
  pid_t process = -1;
  std::optional<std::string> how_ended;
  bool ended_badly = false;
  int input = -1;
  std::array<boost::asio::posix::stream_descriptor, 2> out;  // standard output and error
  std::array<std::shared_ptr<output>, 2> printed;            // where that comes out here
  std::array<std::array<char, 4096>, 2> read{};
  std::array<std::string, 2> line;
  std::string last_error;
  std::array<bool, 2> open{true, true};
  std::array<bool, 2> held{};  // not read on: what it printed before is not yet out
  bool released = false;
  bool killed = false;
  std::chrono::steady_clock::time_point worked;

  bool ended() {
    int status = 0;
    if (how_ended) return true;
    pid_t const found = ::waitpid(process, &status, WNOHANG);
    if (found == process) {
      how_ended = describe_end(status);
      ended_badly = status != 0 && !killed;
    }
    // Whoever ignores SIGCHLD, or waits for all children, knows more than we do.
    if (found < 0 && errno == ECHILD) how_ended = "ended, and its status went elsewhere (SIGCHLD is ignored?)";
    return how_ended.has_value();
  }
  /// The line that has been read.
  void print(std::size_t which) {
    // srun tells at last that the process has failed; the process has told why.
    bool const of_process = !line[which].starts_with("srun: ") || last_error.empty();
    if (which == 1 && of_process) last_error = line[which].substr(0, longest_quoted_bytes);
    printed[which]->print("[" + node_name(node) + "] " + std::exchange(line[which], {}));
  }
  /// What it has printed; and nothing more, if this is the end.
  void take(std::size_t which, std::size_t bytes, bool end) {
    for (std::size_t i = 0; i < bytes; ++i) {
      char const c = read[which][i];
      if (c != '\n') line[which] += c;
      if (c == '\n' || line[which].size() == longest_line_bytes) print(which);
    }
    if (!end) return;
    if (!line[which].empty()) print(which);
    open[which] = false;
  }
  /// It has ended, and all it printed is out.
  bool over() { return ended() && !open[0] && !open[1]; }
};

launcher::~launcher() { finish(std::chrono::milliseconds(0), {}, {}); }

void launcher::start(node_id node, std::vector<std::string> const& command, std::string const& ticket) {
  pipe_ends in(true);
  pipe_ends out;
  pipe_ends err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.read_end(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  std::vector<char*> argv;
  for (std::string const& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  auto started = std::make_shared<child>(reactor_.context(), node, out_);
  int const error = ::posix_spawnp(&started->process, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw io_error(node_name(node) + ": cannot start '" + command[0] + "': " + std::strerror(error));
  started->input = in.take(1);
  std::string const line = ticket + "\n";
  // A socket takes a line at once; a process that has ended already is reported as such.
  [[maybe_unused]] ssize_t const written = ::send(started->input, line.data(), line.size(), MSG_NOSIGNAL);
  started->out[0].assign(out.take(0));
  started->out[1].assign(err.take(0));
  children_.push_back(started);
  forward(started, 0);
  forward(started, 1);
}

void launcher::forward(std::shared_ptr<child> const& from, std::size_t which) {
  auto& out = from->out[which];
  from->held[which] = from->printed[which]->full(
      [from, which, where = out.get_executor()] { boost::asio::post(where, [from, which] { forward(from, which); }); });
  if (from->held[which]) return;  // the pipe fills, and the process waits, like one that prints to us alone
  out.async_read_some(boost::asio::buffer(from->read[which]),
                      [from, which](boost::system::error_code error, std::size_t bytes) {
                        try {
                          from->take(which, bytes, bool{error});
                          if (!error) forward(from, which);
                        } catch (...) {  // no memory: what it still prints is lost, and nobody waits for it
                          from->open[which] = false;
                          throw;
                        }
                      });
}

std::shared_ptr<launcher::child> launcher::find(node_id node) {
  // The last one, if a node was launched again.
  auto const found = std::find_if(children_.rbegin(), children_.rend(), [&](auto const& c) { return c->node == node; });
  return found == children_.rend() ? nullptr : *found;
}

std::optional<std::string> launcher::ended(node_id node) {
  auto const found = find(node);
  return found && found->ended() ? found->how_ended : std::nullopt;
}

std::string launcher::last_error(node_id node) {
  auto const found = find(node);
  return found ? found->last_error : "";
}

void launcher::kill(node_id node) {
  if (ended(node)) return;
  if (auto const found = find(node)) ::kill(found->process, SIGKILL);
}

void launcher::release(node_id node) {
  if (auto const found = find(node)) found->released = true;
}

void launcher::note_end(child const& of) {
  if (of.ended_badly) bad_ends_.push_back({of.node, *of.how_ended});
}

std::set<node_id> launcher::reap() {
  std::set<node_id> gone;
  std::erase_if(children_, [&](std::shared_ptr<child> const& c) {
    if (!c->released || !c->over()) return false;
    note_end(*c);
    ::close(c->input);
    gone.insert(c->node);
    return true;
  });
  std::erase_if(gone, [this](node_id node) { return find(node) != nullptr; });
  return gone;
}

void launcher::finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
                      std::function<void(node_id)> const& killed) {
  using clock = std::chrono::steady_clock;
  {
    auto const lead = reactor_.lead();
    for (auto const& c : children_) {
      if (c->input >= 0) ::close(std::exchange(c->input, -1));
      c->worked = clock::now();
    }
    auto const running = [](std::shared_ptr<child> const& c) { return !c->over(); };
    while (std::any_of(children_.begin(), children_.end(), running)) {
      for (auto const& c : children_) {
        bool const held = c->held[0] || c->held[1];
        if (works && (held || works(c->node))) c->worked = clock::now();
        if (clock::now() - c->worked <= patience) continue;
        if (!c->ended()) {
          if (std::exchange(c->killed, true)) continue;
          ::kill(c->process, SIGKILL);
          if (killed) killed(c->node);
        } else if (!held) {
          // A grandchild holds the pipe; its output is not ours to wait for.
          for (auto& out : c->out) {
            boost::system::error_code ignored;
            if (out.is_open()) out.close(ignored);
          }
        }
      }
      try {
        reactor_.work_for(std::chrono::milliseconds(1));
      } catch (std::exception const& thrown) {  // the end goes on
        std::fprintf(stderr, "ovlp: at the end of the run: %s\n", thrown.what());
      }
    }
    for (auto const& c : children_) note_end(*c);
    children_.clear();
  }
  for (auto const& out : out_) out->flush();
}

}  // namespace ovlp::real
