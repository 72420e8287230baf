// SPDX-License-Identifier: BSD-3-Clause
// What happens when things go wrong: real processes, killed, stopped, and visited by strangers.
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "real/wire.hpp"
#include "support/process.hpp"

using namespace ovlp::testing;

namespace {

// The promise is 5 s; these bounds leave a little to a machine that is busy with other tests.
constexpr duration promised = 5s;
constexpr duration patience = 30s;

/// failures_app, run by its driver with these options, after what the shell is to do `first`; its processes are found
/// by a marker of their own.
class application {
 public:
  explicit application(std::vector<std::string> options, std::map<std::string, std::string> const& environment = {},
                       std::string const& first = "")
      : marker_("failures-" + std::to_string(::getpid()) + "-" + std::to_string(++made)) {
    for (auto const& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    options.insert(options.begin(), {FAILURES_APP, "--marker", marker_});
    if (!first.empty()) options.insert(options.begin(), {"/bin/sh", "-c", first + "; exec \"$@\"", "sh"});
    driver_ = std::make_unique<process>(ovlp::base::command{options});
    for (auto const& [name, value] : environment) ::unsetenv(name.c_str());
  }
  ~application() {
    driver_->kill_group(SIGKILL);
    for (pid_t left : survivors()) ::kill(left, SIGKILL);
  }
  application(application const&) = delete;
  application& operator=(application const&) = delete;

  process& driver() const { return *driver_; }
  std::vector<pid_t> survivors() const { return processes_with(marker_); }
  bool nobody_survives(duration within) const {
    return eventually(within, [&] { return survivors().empty(); });
  }
  /// The process of a node, once it is at work.
  pid_t at_work(int node) const {
    std::regex const announced("node " + std::to_string(node) + " is at work: process ([0-9]+)\\.");
    std::smatch found;
    std::string text;
    bool const there = eventually(patience, [&] {
      text = driver_->err();
      return std::regex_search(text, found, announced);
    });
    if (!there) FAIL("node " << node << " is not at work:\n" << driver_->err());
    return static_cast<pid_t>(std::stoi(found[1]));
  }

 private:
  inline static int made = 0;
  std::string marker_;
  std::unique_ptr<process> driver_;
};

void expect_no_sanitizer_report(application const& run) {
  CHECK(run.driver().err().find("Sanitizer") == std::string::npos);
  CHECK(run.driver().err().find("runtime error:") == std::string::npos);
}

/// The driver ends by itself, not with success, and nothing of its run is left.
void expect_failure(application const& run, duration within) {
  auto const start = std::chrono::steady_clock::now();
  auto const status = run.driver().wait(within);
  INFO("stdout:\n" << run.driver().out() << "stderr:\n" << run.driver().err());
  INFO("after " << seconds_since(start) << " s");
  REQUIRE(status.has_value());
  CHECK(*status == 1);
  expect_no_sanitizer_report(run);
  CHECK(run.nobody_survives(duration(std::max(0.5, within.count() - seconds_since(start)))));
}
void expect_success(application const& run, duration within = patience) {
  auto const status = run.driver().wait(within);
  INFO("stdout:\n" << run.driver().out() << "stderr:\n" << run.driver().err());
  REQUIRE(status.has_value());
  CHECK(*status == 0);
  expect_no_sanitizer_report(run);
  CHECK(run.nobody_survives(1s));
}
void expect_text(std::string const& text, std::string const& expected) {
  INFO("text:\n" << text);
  CHECK(text.find(expected) != std::string::npos);
}

/// The kernel closes the connections of a process that was killed, or resets those on which it left something unread.
std::string const killed =
    " is lost: (the connection was closed|Connection reset by peer); its process was killed by signal 9";
void expect_loss(std::string const& text, std::string const& expected) {
  INFO("text:\n" << text);
  CHECK(std::regex_search(text, std::regex(expected)));
}

/// A command line that is refused: one line on stderr that names what was expected; nothing is left.
void expect_refusal(std::vector<std::string> const& options, std::string const& expected, int status = 1) {
  application const run(options);
  auto const ended = run.driver().wait(patience);
  std::string all;
  for (auto const& option : options) all += option + " ";
  INFO("options: " << all << "\nstderr:\n" << run.driver().err());
  REQUIRE(ended.has_value());
  CHECK(*ended == status);
  CHECK(lines_of(run.driver().err()).size() == 1);
  expect_text(run.driver().err(), expected);
  CHECK(run.nobody_survives(1s));
}

/// Somebody who connects to a port of the run.
class stranger {
 public:
  explicit stranger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }
  stranger(stranger const&) = delete;
  stranger& operator=(stranger const&) = delete;
  ~stranger() { ::close(socket_); }

  void say(std::string const& bytes) const { CHECK(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0); }
  void shut() const { ::shutdown(socket_, SHUT_WR); }
  /// Whether the other side hangs up.
  bool is_dropped(duration within) const {
    return eventually(within, [&] {
      char byte = 0;
      ssize_t const got = ::recv(socket_, &byte, 1, MSG_DONTWAIT);
      return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    });
  }

 private:
  int socket_;
};

/// Connects and leaves at once.
void visit(std::uint16_t port) {
  int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  linger const reset{1, 0};  // or so many visits leave no port free
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  static_cast<void>(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to));
  ::close(socket);
}
std::size_t open_descriptors(pid_t process) {
  std::filesystem::directory_iterator const files(proc_of(process) / "fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::string bytes_of(ovlp::real::service message) {
  ovlp::real::outgoing const frame(std::move(message));
  std::vector<std::span<std::byte const>> parts;
  frame.add_to(parts, 0);
  std::string bytes;
  for (auto const& part : parts) bytes.append(reinterpret_cast<char const*>(part.data()), part.size());
  return bytes;
}
std::string bytes_of(ovlp::real::frame_header const& header) {
  return {reinterpret_cast<char const*>(&header), sizeof header};
}

/// 12 tasks over 3 nodes: 0^2 + ... + 11^2.
char const right_result[] = "result 506\n";

}  // namespace

TEST_CASE("an application that nothing happens to gives its result and leaves no process") {
  application const run({"--nodes", "3"});
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

// Exceptions

TEST_CASE("an exception in an operation ends the run with one message and no process left") {
  // The message has type, text, operation, thread and node.
  std::string where, mode = "throw", expected;
  bool uncaught = false;
  SUBCASE("on node 0") {
    where = "0";
    expected = "operation 'work' in thread workers[0] on node0 threw std::runtime_error: deliberately wrong";
  }
  SUBCASE("on another node") {
    where = "2";
    expected = "operation 'work' in thread workers[2] on node2 threw std::runtime_error: deliberately wrong";
  }
  SUBCASE("of a type that is no exception class") {
    where = "1";
    mode = "throw-int";
    expected = "operation 'work' in thread workers[1] on node1 threw int";
  }
  SUBCASE("in a split") {
    where = "0";
    mode = "throw-first";
    expected = "operation 'deal out' in thread master[0] on node0 threw std::logic_error: the split is wrong";
  }
  SUBCASE("in a merge, when all else has ended") {
    where = "0";
    mode = "throw-last";
    expected = "operation 'add up' in thread master[0] on node0 threw std::logic_error: the merge is wrong";
  }
  SUBCASE("that the main program does not catch") {
    where = "2";
    uncaught = true;
    expected = "operation 'work' in thread workers[2] on node2 threw std::runtime_error: deliberately wrong";
  }
  std::vector<std::string> options{"--nodes", "3", "--mode", mode, "--node", where};
  if (uncaught) options.emplace_back("--uncaught");
  application const run(options);
  expect_failure(run, promised);
  CHECK(count(run.driver().err(), "threw") == 1);
  expect_text(run.driver().err(), expected);
}

TEST_CASE("an exception ends the run also while other nodes compute") {
  // Node 1 computes for long; node 2 throws.
  application const run({"--nodes", "3", "--mode", "compute", "--node", "1", "--seconds", "60"});
  pid_t const busy = run.at_work(1);
  pid_t const other = run.at_work(2);
  CHECK(busy != other);
  ::kill(other, SIGKILL);
  expect_failure(run, promised);
}

TEST_CASE("an exception ends the run also while an operation of node 0 goes on") {
  application const run({"--nodes", "2", "--mode", "sleep", "--node", "0", "--seconds", "60"});
  run.at_work(0);
  ::kill(run.at_work(1), SIGKILL);
  expect_failure(run, promised);
  expect_text(run.driver().err(), "node1 is lost");
}

// Processes that die, or do not answer

TEST_CASE("a worker that is killed ends the run within 5 s, by name") {
  std::string mode;
  SUBCASE("while it waits") { mode = "stall"; }
  SUBCASE("while it computes") { mode = "compute"; }
  SUBCASE("while it sleeps in an operation") { mode = "sleep"; }
  // Without --node all do the same; node 0 must not be kept by its own work either.
  application const run({"--nodes", "3", "--mode", mode, "--node", "2", "--seconds", "60"});
  run.at_work(1);
  ::kill(run.at_work(2), SIGKILL);
  expect_failure(run, promised);
  expect_text(run.driver().err(), "node2 is lost");
  expect_text(run.driver().err(), "killed by signal 9");
}

TEST_CASE("a node that dies while it joins at a border ends the run within 5 s, by name") {
  temporary_folder const folder;
  // Node 1 never comes; node 2 says who it is, and waits for it.
  std::string const come = folder.file("come.sh",
                                       "#!/bin/sh\necho \"node $1 is at work: process $$.\" >&2\n"
                                       "[ $1 = 1 ] && exec sleep 60\nshift\nexec \"$@\"\n",
                                       true);
  std::string const plan = folder.file("plan.json", R"({"program": "failures_app",
    "changes": [{"after": 0, "nodes": 1}, {"after": 1, "nodes": 3}]})");
  application const run({"--nodes", "3", "--mode", "border", "--plan", plan, "--launch",
                         come + " {node} {program} {arguments}", "--peer-timeout", "1.5"});
  pid_t const absent = run.at_work(1);
  pid_t const there = run.at_work(2);
  REQUIRE(eventually(patience, [&] { return !listening_ports(there).empty(); }));
  std::string expected;
  SUBCASE("before it has connected") {
    ::kill(absent, SIGKILL);
    expected = "node1 did not join the run: its process was killed by signal 9";
  }
  SUBCASE("while it waits for another one") {
    std::this_thread::sleep_for(200ms);  // it connects
    ::kill(there, SIGKILL);
    expected = "node2" + killed;
  }
  SUBCASE("and cannot say so") {
    std::this_thread::sleep_for(200ms);
    ::kill(there, SIGSTOP);
    expected = "node2 is lost: it has been silent for ";
  }
  expect_failure(run, promised);
  expect_loss(run.driver().err(), expected);
}

TEST_CASE("a node that dies while it leaves at a border ends the run within 5 s, by name") {
  temporary_folder const folder;
  std::string const plan = folder.file("plan.json", R"({"program": "failures_app",
    "changes": [{"after": 1, "nodes": 2}]})");
  std::string const gate = folder.path() / "gate";
  application const run({"--nodes", "3", "--mode", "border", "--plan", plan, "--gate", gate, "--peer-timeout", "20"});
  // Node 1 does not take the state that node 2 sends.
  ::kill(run.at_work(1), SIGSTOP);
  pid_t const leaves = run.at_work(2);
  folder.file("gate", "");
  std::this_thread::sleep_for(300ms);
  ::kill(leaves, SIGKILL);
  expect_failure(run, promised);
  expect_loss(run.driver().err(), "node2" + killed);
}

TEST_CASE("a node that dies when it has been released, before it has said goodbye, ends the run within 5 s, by name") {
  int signal = SIGKILL;
  std::string expected = "node1" + killed;
  SUBCASE("and breaks its connections") {}
  SUBCASE("and is silent") {
    signal = SIGSTOP;
    expected = "node1 is lost: it has been silent for ";
  }
  application const run(
      {"--nodes", "2", "--mode", "relaunch", "--node", "1", "--seconds", "60", "--peer-timeout", "2"});
  pid_t const leaves = run.at_work(1);
  std::this_thread::sleep_for(500ms);  // until it has been told to
  ::kill(leaves, signal);
  expect_failure(run, promised);
  expect_loss(run.driver().err(), expected);
}

TEST_CASE("a node that dies while its thread leaves at the end of the program lets it fail within 5 s, by name") {
  application const run({"--nodes", "2", "--mode", "leave", "--seconds", "60"});
  pid_t const leaves = run.at_work(1);
  REQUIRE(prints(run.driver(), right_result, patience));
  ::kill(leaves, SIGKILL);
  expect_failure(run, promised);
  expect_loss(run.driver().err(), "node1" + killed);
}

TEST_CASE("a node that dies when the program has ended, before its process has, lets it fail within 5 s, by name") {
  application const run({"--nodes", "2", "--mode", "linger", "--node", "1", "--seconds", "60"});
  pid_t const ends = run.at_work(1);
  REQUIRE(prints(run.driver(), right_result, patience));
  ::kill(ends, SIGKILL);
  expect_failure(run, promised);
  // Before the driver has told it to end, it is lost; after that, its end is a bad one.
  CHECK_MESSAGE(
      std::regex_search(run.driver().err(), std::regex("failures_app: node1.*its process was killed by signal 9")),
      run.driver().err());
}

TEST_CASE("a worker that calls exit ends the run, by name and status") {
  application const run({"--nodes", "3", "--mode", "exit", "--node", "1"});
  expect_failure(run, patience);
  expect_text(run.driver().err(), "node1 is lost");
  expect_text(run.driver().err(), "ended with status 7");
}

TEST_CASE("a program that an operation ends on node 0 has failed, and says which operation") {
  application const run({"--nodes", "2", "--mode", "quit", "--node", "0"});
  expect_failure(run, patience);
  expect_text(run.driver().err(), "leaf 'work' in workers[0] on node0 ended the program: expected it to return");
}

TEST_CASE("a killed driver takes its workers along within 5 s") {
  std::string mode;
  SUBCASE("when they wait") { mode = "stall"; }
  SUBCASE("when they compute") { mode = "compute"; }
  SUBCASE("when they sleep in an operation") { mode = "sleep"; }
  application const run({"--nodes", "3", "--mode", mode, "--seconds", "60"});
  for (int node = 0; node < 3; ++node) run.at_work(node);
  CHECK(run.survivors().size() == 3);
  run.driver().kill(SIGKILL);
  CHECK(run.driver().wait(promised) == 128 + SIGKILL);
  CHECK(run.nobody_survives(promised));
}

TEST_CASE("a worker that is stopped is found by its silence within 5 s, by name") {
  bool uncaught = false;
  SUBCASE("and the main program catches") {}
  SUBCASE("and the main program does not catch") { uncaught = true; }
  std::vector<std::string> options{"--nodes", "3", "--mode", "compute", "--node", "2", "--seconds", "60"};
  if (uncaught) options.emplace_back("--uncaught");
  application const run(options);
  run.at_work(1);
  ::kill(run.at_work(2), SIGSTOP);
  expect_failure(run, promised + 1s);  // the processes go just after the message
  expect_text(run.driver().err(), "node2 is lost");
  expect_text(run.driver().err(), "it has been silent");
}

TEST_CASE("a driver that is stopped is missed by its workers within 5 s") {
  application const run({"--nodes", "3", "--mode", "compute", "--seconds", "60"});
  pid_t const worker = run.at_work(1);
  run.at_work(2);
  run.driver().kill(SIGSTOP);
  CHECK(eventually(promised + 1s, [&] {
    auto const left = run.survivors();
    return std::count(left.begin(), left.end(), worker) == 0 && left.size() == 1;
  }));
  run.driver().kill(SIGCONT);
  expect_failure(run, promised);
}

TEST_CASE("a node that only computes is not taken for dead") {
  application const run({"--nodes", "2", "--mode", "compute", "--node", "1", "--tasks", "2", "--seconds", "5",
                         "--execution-threads", "1", "--peer-timeout", "2"});
  expect_success(run);
  CHECK(run.driver().out() == "result 1\n");
}

TEST_CASE("a run that was stopped as a whole goes on") {
  application const run(
      {"--nodes", "2", "--mode", "sleep", "--node", "1", "--seconds", "0.2", "--peer-timeout", "1.5"});
  run.at_work(1);
  run.driver().kill_group(SIGSTOP);
  std::this_thread::sleep_for(3s);
  run.driver().kill_group(SIGCONT);
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

TEST_CASE("Ctrl-C ends all processes") {
  std::string mode;
  SUBCASE("when they compute") { mode = "compute"; }
  SUBCASE("when they wait") { mode = "stall"; }
  bool group = true;
  SUBCASE("and when only the driver gets the signal") {
    mode = "compute";
    group = false;
  }
  application const run({"--nodes", "3", "--mode", mode, "--seconds", "60"});
  for (int node = 0; node < 3; ++node) run.at_work(node);
  if (group) {
    run.driver().kill_group(SIGINT);
  } else {
    run.driver().kill(SIGINT);
  }
  CHECK(run.driver().wait(promised) == 128 + SIGINT);
  CHECK(run.nobody_survives(promised));
}

// Runs that can never end

TEST_CASE("a graph that can never end is reported within 5 s with who waits") {
  std::string nodes;
  SUBCASE("on one node") { nodes = "1"; }
  SUBCASE("on three nodes") { nodes = "3"; }
  application const run({"--nodes", nodes, "--mode", "stall"});
  for (int node = 0; node < std::stoi(nodes); ++node) run.at_work(node);
  expect_failure(run, promised);
  std::string const text = run.driver().err();
  expect_text(text, "the call can never end");
  for (int thread = 0; thread < std::stoi(nodes); ++thread) {
    auto const lines = lines_of(text);
    std::string const name = "workers[" + std::to_string(thread) + "]";
    bool const listed = std::any_of(lines.begin(), lines.end(), [&](std::string const& line) {
      return line.find("work") != std::string::npos && line.find(name) != std::string::npos &&
             line.find("group") != std::string::npos && line.find("node" + std::to_string(thread)) != std::string::npos;
    });
    INFO("thread " << name << " in:\n" << text);
    CHECK(listed);
  }
  expect_text(text, "'add up'");
  expect_text(text, "master[0]");
}

TEST_CASE("a long operation is not a stall") {
  application const run({"--nodes", "2", "--mode", "sleep", "--node", "1", "--tasks", "2", "--seconds", "4"});
  expect_success(run);
  CHECK(run.driver().out() == "result 1\n");
}

TEST_CASE("a node that is launched again while its last process takes long to end is no stall") {
  application const run({"--nodes", "2", "--mode", "relaunch", "--seconds", "1.2"});
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

// Processes at the end of the program

TEST_CASE("a thread that leaves at the end of the program is let go, however long that takes") {
  std::string seconds;
  SUBCASE("at once") { seconds = "0"; }
  SUBCASE("while its node says that it lives") { seconds = "6"; }
  application const run({"--nodes", "2", "--mode", "leave", "--seconds", seconds, "--peer-timeout", "1.5"});
  expect_success(run);
  CHECK(run.driver().out() == std::string(right_result) + "[node1] thread 1 has left\n");
}

TEST_CASE("a process that works on at the end of the program is waited for as long as it says that it lives") {
  application const run({"--nodes", "2", "--mode", "linger", "--node", "1", "--seconds", "6", "--peer-timeout", "1.5"});
  auto const start = std::chrono::steady_clock::now();
  expect_success(run);
  CHECK(run.driver().out() == right_result);
  CHECK(seconds_since(start) >= 6);
}

TEST_CASE("a process that neither ends nor says that it lives at the end of the program is killed, an error") {
  application const run({"--nodes", "2", "--mode", "linger", "--node", "1", "--seconds", "2"});
  REQUIRE(prints(run.driver(), right_result, patience));
  auto const processes = run.survivors();
  for (pid_t const process : processes) {
    if (process != run.driver().id()) ::kill(process, SIGSTOP);
  }
  expect_failure(run, 9s);
  CHECK(count(run.driver().err(), "node1 is killed: the run is over") == 1);
}

TEST_CASE("a process that works on for a call that nobody waits for is killed, by name") {
  application const run({"--nodes", "2", "--mode", "abandon", "--node", "1", "--seconds", "60"});
  // Node 0 waits for its own operations, which have nothing to do.
  auto const status = run.driver().wait(patience);
  INFO("stderr:\n" << run.driver().err());
  CHECK(status == 0);
  CHECK(count(run.driver().err(), "node1 is killed: it works for a call that nobody waits for") == 1);
  CHECK(run.nobody_survives(1s));
}

TEST_CASE("a program that ignores how its children end is run to its end") {
  application const run({"--nodes", "3"}, {{"FAILURES_IGNORE_CHILDREN", "1"}});
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

TEST_CASE("a launched process that prints without end is given up after --launch-timeout") {
  application const run({"--nodes", "2", "--launch", "yes", "--launch-timeout", "1"});
  expect_failure(run, promised);
  expect_text(run.driver().err(), "node1 did not join the run within the 1 s of --launch-timeout");
}

// File descriptors

TEST_CASE("too few file descriptors are one clear message") {
  application const run({"--nodes", "15"}, {}, "ulimit -n 64");
  expect_failure(run, promised);
  CHECK(lines_of(run.driver().err()).size() == 1);
  expect_text(run.driver().err(), "node0 needs ");
  expect_text(run.driver().err(), " file descriptors, but the limit is 64: raise it (ulimit -n), or take fewer nodes");
}

TEST_CASE("a limit of file descriptors that may be raised is raised") {
  application const run({"--nodes", "12"}, {}, "ulimit -Sn 48");
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

// Strangers

TEST_CASE("strangers that say nothing get few descriptors, and a worker that dies is seen") {
  application const run({"--nodes", "3", "--mode", "sleep", "--seconds", "60"}, {}, "ulimit -n 100");
  pid_t const worker = run.at_work(1);
  run.at_work(2);
  auto const ports = listening_ports(run.driver().id());
  REQUIRE(ports.size() == 1);
  std::vector<std::unique_ptr<stranger>> all;
  for (int i = 0; i < 300; ++i) all.push_back(std::make_unique<stranger>(ports[0]));
  CHECK(all.front()->is_dropped(2s));
  CHECK(!all.back()->is_dropped(0.1s));
  CHECK(open_descriptors(run.driver().id()) < 70);
  CHECK(count(run.driver().err(), "dropped a connection from") < 100);
  ::kill(worker, SIGKILL);
  expect_failure(run, promised);
  expect_text(run.driver().err(), "node1 is lost");
}

TEST_CASE("a process that has no descriptor left for a connection says so once and goes on") {
  application const run({"--nodes", "2", "--mode", "sleep", "--node", "1", "--tasks", "2", "--seconds", "2"});
  run.at_work(1);
  auto const ports = listening_ports(run.driver().id());
  REQUIRE(ports.size() == 1);
  rlimit usual{};
  REQUIRE(::prlimit(run.driver().id(), RLIMIT_NOFILE, nullptr, &usual) == 0);
  rlimit const none{3, usual.rlim_max};
  REQUIRE(::prlimit(run.driver().id(), RLIMIT_NOFILE, &none, nullptr) == 0);
  stranger const first(ports[0]);
  stranger const second(ports[0]);
  CHECK(prints(run.driver(), "node0 cannot accept connections: Too many open files", 2s));
  CHECK(!second.is_dropped(0.6s));  // it waits through some more tries
  REQUIRE(::prlimit(run.driver().id(), RLIMIT_NOFILE, &usual, nullptr) == 0);
  expect_success(run);
  CHECK(run.driver().out() == "result 1\n");
  CHECK(count(run.driver().err(), "cannot accept") == 1);
}

TEST_CASE("connections that come and go while a run ends do not keep it") {
  for (int round = 0; round < 6; ++round) {
    application const run({"--nodes", "2", "--mode", "sleep", "--seconds", "0.03"});
    run.at_work(1);
    auto const ports = listening_ports(run.driver().id());
    if (ports.empty()) continue;  // it has ended already
    std::atomic<bool> stop{false};
    std::thread visits([&] {
      while (!stop) visit(ports[0]);
    });
    auto const status = run.driver().wait(patience);
    stop = true;
    visits.join();
    CHECK(status == 0);
    CHECK(run.driver().out() == right_result);
  }
}

TEST_CASE("a stranger at a port of the run is dropped and logged, and the run goes on") {
  int visited = 0;
  SUBCASE("of the driver") { visited = 0; }
  SUBCASE("of a worker") { visited = 1; }
  application const run({"--nodes", "3", "--mode", "sleep", "--node", "1", "--tasks", "12", "--seconds", "3"});
  pid_t const process_visited = run.at_work(visited);
  run.at_work(2);
  auto const ports = listening_ports(process_visited);
  REQUIRE(ports.size() == 1);
  auto const port = ports[0];
  std::size_t dropped = 0;
  auto expect_drop = [&](stranger const& one, std::string const& why, duration within = 2s) {
    INFO("stranger: " << why << "\nstderr:\n" << run.driver().err());
    CHECK(one.is_dropped(within));
    ++dropped;
    CHECK(prints(run.driver(), "dropped a connection from 127.0.0.1", 2s, dropped));
    CHECK(prints(run.driver(), why, 1s));
  };
  stranger const silent(port);

  stranger const impostor(port);
  impostor.say(bytes_of(ovlp::real::hello{std::string(32, '0'), 2, 0, "127.0.0.1", 1}));
  expect_drop(impostor, "it does not know the secret");
  stranger const nameless(port);
  nameless.say(bytes_of(ovlp::real::hello{"", 2, 0, "127.0.0.1", 1}));
  expect_drop(nameless, "it does not know the secret");
  stranger const rude(port);
  rude.say(bytes_of(ovlp::real::stop{1}));
  expect_drop(rude, "it did not introduce itself");
  stranger const faint(port);
  faint.say(bytes_of(ovlp::real::hello{std::string(32, '0'), 2, 0, "127.0.0.1", 1}).substr(0, 40));
  faint.shut();
  expect_drop(faint, "the connection was closed");
  stranger const fat(port);
  fat.say(bytes_of(
      ovlp::real::frame_header{ovlp::real::frame_magic, ovlp::real::frame_kind::process, std::uint64_t{1} << 40, 0}));
  expect_drop(fat, "a frame that is too large");
  stranger const bulky(port);
  bulky.say(bytes_of(
      ovlp::real::frame_header{ovlp::real::frame_magic, ovlp::real::frame_kind::process, 8, std::uint64_t{1} << 30}));
  expect_drop(bulky, "a frame that is too large");
  stranger const noisy(port);
  noisy.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(100000, '\xa5'));
  expect_drop(noisy, "not a frame of ovlp");
  stranger const hollow(port);
  hollow.say(bytes_of(ovlp::real::frame_header{ovlp::real::frame_magic, ovlp::real::frame_kind::process, 0, 0}));
  expect_drop(hollow, "the end comes too early");
  stranger const object(port);
  object.say(bytes_of(ovlp::real::frame_header{ovlp::real::frame_magic, ovlp::real::frame_kind::object, 64, 0}) +
             std::string(64, '\xff'));
  expect_drop(object, "sent");
  expect_drop(silent, "it did not introduce itself in time", 8s);

  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

TEST_CASE("strangers while the nodes join do not hinder them") {
  temporary_folder const folder;
  // Nodes start a second late, so that the strangers come first.
  std::string const late = folder.file("late.sh", "#!/bin/sh\nsleep 1\nexec \"$@\"\n", true);
  application const run({"--nodes", "3", "--launch", late + " {program} {arguments}"});
  std::vector<std::uint16_t> ports;
  REQUIRE(eventually(patience, [&] { return !(ports = listening_ports(run.driver().id())).empty(); }));
  stranger const silent(ports[0]);
  stranger const impostor(ports[0]);
  impostor.say(bytes_of(ovlp::real::hello{std::string(32, '0'), 1, 0, "127.0.0.1", 1}));
  CHECK(impostor.is_dropped(2s));
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

TEST_CASE(
    "the secret stands on no command line and in no environment, and opens nothing to a node that is not expected") {
  temporary_folder const folder;
  std::string const tickets = (folder.path() / "ticket").string();
  std::string const spy = folder.file("spy.sh",
                                      "#!/bin/sh\nread -r ticket\nnode=$1; shift\n"
                                      "printf '%s\\n' \"$ticket\" > " +
                                          tickets +
                                          ".$node\n"
                                          "{ printf '%s\\n' \"$ticket\"; exec cat; } | \"$@\"\n",
                                      true);
  application const run({"--nodes", "3", "--mode", "sleep", "--node", "1", "--seconds", "0.5", "--launch",
                         spy + " {node} {program} {arguments}"});
  run.at_work(1);
  run.at_work(2);
  std::string const secret = nlohmann::json::parse(contents(tickets + ".1")).at("secret");
  REQUIRE(secret.size() == 32);
  CHECK(run.survivors().size() >= 3);
  for (pid_t other : all_processes()) {
    for (char const* file : {"cmdline", "environ"}) {
      CHECK(contents(proc_of(other) / file).find(secret) == std::string::npos);
    }
  }
  auto const ports = listening_ports(run.driver().id());
  REQUIRE(ports.size() == 1);
  for (ovlp::node_id node : {0u, 1u, 7u, 0xffffffffu}) {
    stranger const double_of(ports[0]);
    double_of.say(bytes_of(ovlp::real::hello{secret, node, 0, "127.0.0.1", 1}));
    CHECK(double_of.is_dropped(2s));
  }
  CHECK(prints(run.driver(), "which is not expected", 2s, 4));
  expect_success(run);
  CHECK(run.driver().out() == right_result);
}

TEST_CASE("all sockets are on loopback when all nodes are local") {
  application const run({"--nodes", "3", "--mode", "sleep", "--node", "1", "--seconds", "0.25"});
  for (int node = 0; node < 3; ++node) {
    auto const ports = listening_ports(run.at_work(node));
    REQUIRE(ports.size() == 1);
    char line[32];
    std::snprintf(line, sizeof line, "0100007F:%04X", ports[0]);
    expect_text(contents("/proc/net/tcp"), line);
  }
  expect_success(run);
}

// Processes that are not the same program, or do not start

TEST_CASE("a process that differs ends the run with a line that says in what, and nothing is computed") {
  std::string environment, option, expected;
  SUBCASE("an option") {
    option = " --seconds 2.5";
    expected = "failures_app: node1 was started with --seconds 2.5, node0 with --seconds 1\n";
  }
  SUBCASE("a text that is hostile") {
    option = " --gate ';reboot'";
    expected = "failures_app: node1 was started with --gate ''\\'';reboot'\\''', node0 with --gate ''\n";
  }
  SUBCASE("a flag") {
    option = " --uncaught";
    expected = "failures_app: node1 was started with --uncaught, node0 without --uncaught\n";
  }
  SUBCASE("an option of ovlp") {
    option = " --mapping workers=node1*2";
    expected = "failures_app: node1 was started with --mapping 'workers=node1*2', node0 without --mapping\n";
  }
  SUBCASE("a file of ovlp that one of them is to write") {
    option = " --summary /dev/null";
    expected = "failures_app: node1 was started with --summary, node0 without --summary\n";
  }
  SUBCASE("operations") {
    environment = "FAILURES_OTHER_GRAPH=1";
    expected = "failures_app: node1 runs another program than node0: ";
  }
  SUBCASE("the size of a collection") {
    environment = "FAILURES_OTHER_SIZE=1";
    expected = "failures_app: the number of threads of collection 'workers' is 3 on node1, 2 on node0\n";
  }
  SUBCASE("a number that an operation is bound to") {
    environment = "FAILURES_OTHER_NUMBER=1";
    expected =
        "failures_app: parameter 3 (double) of leaf 'work' of graph 'deal out >> work >> add up' is "
        "0.30000000000000004 on node1, 0.3 on node0\n";
  }
  SUBCASE("another object that an operation is bound to") {
    environment = "FAILURES_OTHER_VECTOR=1";
    expected =
        "failures_app: parameter 4 (std::vector<int, std::allocator<int> >) of leaf 'work' of graph 'deal out >> work "
        ">> add up' differs between node1 and node0\n";
  }
  application const run({"--nodes", "2", "--launch", "env " + environment + " {program} {arguments}" + option});
  expect_failure(run, promised);
  expect_text(run.driver().err(), expected);
  CHECK(run.driver().out().empty());
}

TEST_CASE("a process may have another value of an option that may differ") {
  application const run({"--nodes", "2", "--launch", "{program} {arguments} --own {node}"});
  expect_success(run);
  expect_text(run.driver().out(), right_result);
}

TEST_CASE("a process of another build of ovlp ends the run with a line that names both") {
  temporary_folder const folder;
  std::string const start = folder.file(
      "start.sh",
      "#!/bin/sh\nread -r ticket\nprintf '%s\\n' \"$ticket\" | sed 's/ovlp [0-9.]*,/ovlp 9.8.7,/' | exec \"$@\"\n",
      true);
  application const run({"--nodes", "2", "--launch", start + " {program} {arguments}"});
  expect_failure(run, promised);
  expect_text(run.driver().err(),
              "failures_app: node1 did not join the run: its process ended with status 2, saying: failures_app: "
              "expected the same build of ovlp in all processes: this one has ovlp ");
  expect_text(run.driver().err(), "; node0 has ovlp 9.8.7, ");
}

TEST_CASE("a second engine with another graph is a clear error") {
  application const run({"--nodes", "2"}, {{"FAILURES_TWO_ENGINES", "1"}});
  expect_failure(run, promised);
  CHECK(run.driver().out() == right_result);
  expect_text(run.driver().err(), "in a launched process the first engine serves");
}

TEST_CASE("an exception of the main program that nobody catches is told, and nothing printed is lost") {
  application const run({"--nodes", "2", "--mode", "throw-in-main", "--uncaught"});
  REQUIRE(run.driver().wait(promised).value_or(0) == 128 + SIGABRT);
  expect_text(run.driver().err(), "the main program is wrong");
  expect_text(run.driver().out(), right_result);
  CHECK(run.nobody_survives(promised));
}

TEST_CASE("memory that runs out outside of operations ends the run with what to change") {
  application const run({"--nodes", "2", "--mode", "no-memory-in-main", "--uncaught"});
  expect_failure(run, promised);
  expect_text(run.driver().err(),
              "ovlp: memory ran out: of the machine, or a limit (ulimit -v, a control group). A port's window bounds");
}

TEST_CASE("the figures that an option asks for are written also if the program does not ask for them") {
  temporary_folder const folder;
  std::string const summary = (folder.path() / "summary.json").string();
  std::string const durations = (folder.path() / "durations.json").string();
  application const run({"--nodes", "2", "--mode", "compute", "--seconds", "0.01", "--summary", summary,
                         "--record-durations", durations});
  expect_success(run);
  auto const figures = nlohmann::json::parse(contents(summary));
  CHECK(figures.at("nodes") == 2);
  CHECK(figures.at("work_s").get<double>() > 0);
  CHECK(nlohmann::json::parse(contents(durations)).at("kernels").contains("compute"));
}

TEST_CASE("nodes that can not be launched are a clear error") {
  std::string launch, expected;
  SUBCASE("the program does not exist") {
    launch = "/no/such/program {program} {arguments}";
    expected = "node1: cannot start '/no/such/program': No such file or directory";
  }
  SUBCASE("a word that is no command") {
    launch = "no-such-command {program} {arguments}";
    expected = "node1: cannot start 'no-such-command': No such file or directory";
  }
  SUBCASE("a process that ends at once") {
    temporary_folder const folder;
    launch = folder.file("seven.sh", "#!/bin/sh\necho no more >&2\nprintf 'Good \"bye\"' >&2\nexit 7\n", true) +
             " {program} {arguments}";
    application const run({"--nodes", "3", "--launch", launch});
    expect_failure(run, promised);
    expect_text(run.driver().err(), "did not join the run: its process ended with status 7, saying: Good \"bye\"\n");
    return;
  }
  application const run({"--nodes", "3", "--launch", launch});
  expect_failure(run, promised);
  expect_text(run.driver().err(), expected);
}

TEST_CASE("a process that cannot write its trace ends the run, and node 0 says why") {
  temporary_folder const folder;
  std::string const trace = folder.path() / "trace";
  std::filesystem::create_directory(trace + ".node2");
  application const run({"--nodes", "3", "--trace", trace});
  expect_failure(run, promised);
  expect_text(run.driver().err(),
              "failures_app: node2 did not join the run: its process ended with status 1, saying: failures_app: "
              "--trace: '" +
                  trace + ".node2': cannot be written: Is a directory\n");
}

TEST_CASE("a process that fails at its end lets the run end with status 1") {
  temporary_folder const folder;
  std::string const trace = folder.path() / "trace";
  std::filesystem::create_symlink("/dev/full", trace + ".node1");
  application const run({"--nodes", "2", "--trace", trace});
  auto const status = run.driver().wait(patience);
  REQUIRE(status.has_value());
  CHECK(*status == 1);
  expect_text(run.driver().err(), "[node1] failures_app: --trace: '" + trace + ".node1': ");
  expect_text(run.driver().err(), "failures_app: node1: its process ended with status 1, at the end of the run\n");
}

TEST_CASE("a process that never reports is given up after --launch-timeout") {
  temporary_folder const folder;
  std::string const deaf = folder.file("deaf.sh", "#!/bin/sh\nexec sleep 60\n", true);
  application const run({"--nodes", "2", "--launch", deaf + " {arguments}", "--launch-timeout", "1"});
  expect_failure(run, promised);
  expect_text(run.driver().err(), "node1 did not join the run within the 1 s of --launch-timeout");
}

// Options and files

TEST_CASE("a bad option gets one line that says what was expected, and status 2") {
  expect_refusal({"--nodes", "0"}, "1", 2);
  expect_refusal({"--nodes", "many"}, "--nodes", 2);
  expect_refusal({"--nodes", "-3"}, "--nodes", 2);
  expect_refusal({"--nodes", "2.5"}, "--nodes", 2);
  expect_refusal({"--nodes"}, "--nodes", 2);
  expect_refusal({"--node-s", "2"}, "--node-s: no such option; did you mean '--nodes'?", 2);
  expect_refusal({"--peer_timeout=2"}, "--peer_timeout: no such option; did you mean '--peer-timeout'?", 2);
  expect_refusal({"--colour", "red"}, "failures_app: --colour: no such option\n", 2);
  expect_refusal({"2"}, "unexpected argument '2'", 2);
  expect_refusal({"--execution-threads", "few"},
                 "expected 'collections', 'cores' or a number from 1 to 4096, got 'few'", 2);
  expect_refusal({"--execution-threads", "0"}, "expected 'collections', 'cores' or a number from 1 to 4096, got '0'",
                 2);
  expect_refusal({"--execution-threads", "-1"}, "expected 'collections', 'cores' or a number from 1 to 4096, got '-1'",
                 2);
  expect_refusal({"--stack-kib", "1"}, "64", 2);
  expect_refusal({"--poll-us", "-1"}, "--poll-us", 2);
  expect_refusal({"--poll-us", "soon"}, "--poll-us", 2);
  expect_refusal({"--peer-timeout", "-1"}, "--peer-timeout", 2);
  expect_refusal({"--peer-timeout", "nan"}, "--peer-timeout", 2);
  expect_refusal({"--peer-timeout", "0.1"}, "--peer-timeout: expected 0 or at least 1.5, got '0.1'", 2);
  expect_refusal({"--launch-timeout", "0"}, "--launch-timeout", 2);
  expect_refusal({"--launch-timeout", "inf"}, "--launch-timeout", 2);
  expect_refusal(
      {"--summary", "/no/such/folder/file"},
      "--summary: expected a file that can be written, got '/no/such/folder/file': No such file or directory", 2);
  expect_refusal({"--record-durations", "/tmp"}, "got '/tmp': Is a directory", 2);
  expect_refusal({"--no-such-option"}, "--no-such-option", 2);
  expect_refusal({"stray"}, "stray", 2);
  expect_refusal({"--tasks", "-1"}, "expected at least 0, got '-1'", 2);
  expect_refusal({"--mode", "bad"}, "normal", 2);
}

TEST_CASE("a bad address, template or hosts file gets one line that says what was expected") {
  temporary_folder const folder;
  expect_refusal({"--nodes", "1", "--listen", "127.0.0.1:none"}, "expected ADDRESS[:FIRST-LAST], got '127.0.0.1:none'",
                 2);
  expect_refusal({"--nodes", "2", "--listen", ":5000"}, "expected ADDRESS[:FIRST-LAST], got ':5000'", 2);
  expect_refusal({"--nodes", "2", "--listen", "127.0.0.1:9-8"}, "expected ADDRESS[:FIRST-LAST]", 2);
  expect_refusal({"--nodes", "2", "--listen", "127.0.0.1:70000"}, "expected ADDRESS[:FIRST-LAST]", 2);
  expect_refusal({"--nodes", "2", "--nodes", "3"}, "--nodes: expected once, but given again", 2);
  expect_refusal({"--nodes", "2", "--listen", "203.0.113.7"}, "203.0.113.7");
  expect_refusal({"--nodes", "2", "--launch", "ssh {hots} {program}"},
                 "expected {host}, {node}, {program} or {arguments}, got '{hots}'", 2);
  expect_refusal({"--nodes", "2", "--launch", "ssh {host {program}"},
                 "expected {host}, {node}, {program} or {arguments}", 2);
  expect_refusal({"--nodes", "2", "--launch", " "}, "the launch command is empty", 2);
  expect_refusal({"--nodes", "2", "--hosts", "/no/such/file"},
                 "hosts file '/no/such/file': cannot be read: No such file or directory", 2);
  std::string const short_one = folder.file("short", "# the first\nlocalhost\n\n");
  expect_refusal({"--nodes", "3", "--hosts", short_one}, "expected 3 hosts for --nodes 3, got 1", 2);
  std::string const two_words = folder.file("two", "localhost\nlocalhost 4\n");
  expect_refusal({"--nodes", "2", "--hosts", two_words},
                 "hosts file '" + two_words +
                     "', line 2: expected one host, several with commas between them, or one with 'slots=N', got "
                     "'localhost 4'",
                 2);
  std::string const empty = folder.file("empty", "# nobody\n");
  expect_refusal({"--nodes", "2", "--hosts", empty}, "expected at least one host", 2);
  expect_refusal({"--nodes", "2", "--hosts", folder.path().string()},
                 "hosts file '" + folder.path().string() + "': cannot be read: Is a directory", 2);
  expect_refusal({"--nodes", "2", "--summary"}, "--summary", 2);
}

TEST_CASE("a port that others hold is a clear error, and a free one of a range is taken") {
  int const held = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  REQUIRE(::bind(held, reinterpret_cast<sockaddr*>(&at), size) == 0);
  REQUIRE(::listen(held, 1) == 0);
  ::getsockname(held, reinterpret_cast<sockaddr*>(&at), &size);
  int const port = ntohs(at.sin_port);
  std::string const one = "127.0.0.1:" + std::to_string(port);
  expect_refusal({"--nodes", "2", "--listen", one}, "cannot listen on '" + one + "': Address already in use");
  application const run({"--nodes", "2", "--listen", one + "-" + std::to_string(std::min(port + 20, 65535))});
  expect_success(run);
  ::close(held);
}

TEST_CASE("--worker is refused when no driver has launched the process") {
  std::string input = "/dev/null";
  std::string more;
  SUBCASE("on a terminal") {
    int const terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    input = ::ptsname(terminal);
  }
  SUBCASE("without input") {}
  SUBCASE("without input, uncaught") { more = "--uncaught"; }
  SUBCASE("with other input") { input = "/proc/self/cmdline"; }
  process worker({{"/bin/sh", "-c", "exec " FAILURES_APP " --worker " + more + " <" + input}});
  auto const status = worker.wait(promised);
  INFO("stderr:\n" << worker.err());
  REQUIRE(status.has_value());
  CHECK(*status == 2);
  CHECK(lines_of(worker.err()).size() == 1);
  expect_text(worker.err(), "--worker is for processes that node 0 launches");
}

TEST_CASE("--hosts with a launch command runs each node as the command says") {
  temporary_folder const folder;
  std::string const hosts = folder.file("hosts", "localhost  # node 0\nlocalhost\n\nlocalhost\n");
  std::string launch = "env {program} {arguments}";
  SUBCASE("a command that runs the program") {}
  SUBCASE("a script with the host and the node") {
    std::string const start = folder.file(
        "start.sh", "#!/bin/sh\n[ \"$1\" = localhost ] || exit 3\necho \"starts $2\"\nshift 2\nexec \"$@\"\n", true);
    launch = start + " {host} {node} {program} {arguments}";
  }
  SUBCASE("what looks like ssh gets quoted words") {
    std::string const ssh = folder.file("ssh", "#!/bin/sh\nshift\nexec sh -c \"$*\"\n", true);
    launch = ssh + " {host} {program} {arguments}";
  }
  application const run({"--nodes", "3", "--hosts", hosts, "--launch", launch, "--mode", "normal", "--seconds", "1"});
  expect_success(run);
  expect_text(run.driver().out(), "result 506\n");
  if (launch.find("start.sh") != std::string::npos) {
    expect_text(run.driver().out(), "[node1] starts 1\n");
    expect_text(run.driver().out(), "[node2] starts 2\n");
  }
}

TEST_CASE("--hosts says how many nodes there are, to all processes") {
  temporary_folder const folder;
  std::string const hosts = folder.file("hosts", "\xef\xbb\xbfnobody@127.0.0.1,localhost\r\n");
  std::string const record = folder.path() / "run.sqlite";
  std::string const start = folder.file("start.sh", "#!/bin/sh\necho \"starts $1\"\nshift\nexec \"$@\"\n", true);
  application const run({"--hosts", hosts, "--launch", start + " {host} {program} {arguments}", "--record", record});
  expect_success(run);
  expect_text(run.driver().out(), right_result);
  expect_text(run.driver().out(), "[node1] starts localhost\n");
  CHECK(run.driver().err().find("--record") == std::string::npos);
  CHECK(std::filesystem::exists(record));
  CHECK(!std::filesystem::exists(record + ".node1"));  // it has been joined with that of node 0
}

TEST_CASE("a node that cannot reach node 0 leaves the record of the run to node 0") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", left = folder.path() / "left";
  std::string const elsewhere = "{ sed -u '1{s/\"driver_port\":[0-9]*/\"driver_port\":1/;q}'; sleep 1; } | \"$@\"";
  std::string const start = folder.file(
      "start.sh",
      "#!/bin/sh\n" + elsewhere + "\nended=$?\n[ -e " + record + ".node1 ] && touch " + left + "\nexit $ended\n", true);
  std::string const hosts = folder.file("hosts", "localhost\nlocalhost\n");
  application const run({"--hosts", hosts, "--launch", start + " {program} {arguments}", "--record", record});
  expect_failure(run, patience);
  expect_text(run.driver().err(), "node1 did not join the run");
  expect_text(run.driver().err(), "cannot connect to localhost, port 1");
  CHECK(run.driver().err().find("--record") == std::string::npos);
  CHECK(std::filesystem::exists(left));
}

// Output

TEST_CASE("what workers print comes out whole, in lines with the node's name, and completely") {
  int const lines = 20000;
  application const run({"--nodes", "3", "--mode", "print", "--tasks", "6", "--lines", std::to_string(lines)});
  expect_success(run);
  std::map<int, int> next;  // line of each task
  std::regex const form("(\\[node([12])\\] )?task ([0-9]+) line ([0-9]+) ends here");
  bool result = false;
  int wrong = 0;
  for (std::string const& line : lines_of(run.driver().out())) {
    std::smatch parts;
    if (line == "result 55") {
      result = true;
      continue;
    }
    if (!std::regex_match(line, parts, form)) {
      if (++wrong < 4) MESSAGE("line: " << line);
      continue;
    }
    int const task = std::stoi(parts[3]);
    int const node = parts[2].matched ? std::stoi(parts[2]) : 0;
    wrong += node != task % 3;
    wrong += std::stoi(parts[4]) != next[task]++;
  }
  CHECK(wrong == 0);
  CHECK(result);
  for (int task = 0; task < 6; ++task) CHECK(next[task] == lines);
}

TEST_CASE("output that is not read for a while stops no run and is not lost") {
  // Much more than pipes hold; nobody reads for longer than a node may be silent.
  int const lines = 30000;
  application const run(
      {"--nodes", "3", "--mode", "print", "--tasks", "6", "--lines", std::to_string(lines), "--peer-timeout", "1.5"});
  std::this_thread::sleep_for(3s);
  CHECK(run.survivors().size() == 3);
  expect_success(run);
  std::map<std::string, int> next;  // line of each task
  int wrong = 0;
  for (std::string const& line : lines_of(run.driver().out())) {
    std::size_t const at = line.find("task ");
    if (at == std::string::npos) continue;
    std::istringstream words(line.substr(at));
    std::string skipped, task;
    int number = 0;
    words >> skipped >> task >> skipped >> number;
    wrong += number != next[task]++;
  }
  CHECK(wrong == 0);
  CHECK(next.size() == 6);
  for (auto const& [task, printed] : next) CHECK(printed == lines);
}

TEST_CASE("what a worker printed before it failed is not lost") {
  std::vector<std::string> options{"--nodes", "2", "--mode", "print-throw", "--node", "1", "--lines", "5000"};
  SUBCASE("when the main program catches") {}
  SUBCASE("when the main program does not catch") { options.emplace_back("--uncaught"); }
  application const run(options);
  expect_failure(run, promised);
  CHECK(count(run.driver().out(), "[node1] task 1 line ") >= 5000);
  expect_text(run.driver().out(), "[node1] task 1 line 4999 ends here\n");
}
