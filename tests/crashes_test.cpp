// SPDX-License-Identifier: BSD-3-Clause
// Operations that end their process, or never end, are named; in either backend.
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/sanitizers.hpp>

using namespace ovlp::testing;

namespace {

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> application(std::string const& backend, std::string const& kind) {
  return {CRASH_APP, "--nodes", "2", "--backend=" + backend, "--kind", kind};
}

std::string const where = "leaf 'bad' in workers[1] on node1";

/// The run ends with an error, and says so.
void check_names(std::string const& backend, std::string const& kind, std::string const& line,
                 std::vector<std::string> const& options = {}) {
  std::vector<std::string> words = application(backend, kind);
  words.insert(words.end(), options.begin(), options.end());
  process run(ovlp::base::command{words});
  auto const status = run.wait(30s);
  CAPTURE(run.err());
  REQUIRE(status.has_value());
  CHECK(*status != 0);
  CHECK(contains(run.err(), line));
}

}  // namespace

TEST_CASE("a program that a thread of an operation's own ends while a call runs has failed") {
  check_names("simulated", "exit in a thread", "crash: the program ended before its engine: a call has not ended\n");
}

TEST_CASE("what calls std::exit is named, on every node of either backend, and the run has failed") {
  std::string const ended = " ended the program: expected it to return, or to throw\n";
  for (std::string const backend : {"real", "simulated"}) {
    check_names(backend, "exit", "crash: " + where + ended);
    check_names(backend, "exit in main", "crash: the program ended before its engine: what its options ask for is not",
                {"--summary", "/dev/null"});
    check_names(backend, "exit in maker", "crash: the state's maker in places[1] on node0" + ended);
  }
}

#if !defined(OVLP_ADDRESS_SANITIZER) && !defined(OVLP_THREAD_SANITIZER)  // they have handlers of their own
TEST_CASE("an operation that ends its process is named, with its thread, its node and the signal") {
  for (std::string const backend : {"real", "simulated"}) {
    for (auto const& crash : {std::pair{"SIGSEGV", "SIGSEGV"},
                              {"SIGBUS", "SIGBUS"},
                              {"SIGFPE", "SIGFPE"},
                              {"SIGILL", "SIGILL"},
                              {"SIGABRT", "SIGABRT"},
                              {"lost thread", "SIGABRT"}}) {
      char const* const kind = crash.first;
      char const* const signal = crash.second;
      CAPTURE(backend);
      CAPTURE(kind);
      check_names(backend, kind, "ovlp: " + std::string(signal) + " in " + where + "\n");
    }
  }
}

TEST_CASE("a maker of states, an on_leave, and what runs beside a thread of the program's own, are named") {
  for (std::string const backend : {"real", "simulated"}) {
    for (auto const& crash :
         {std::pair{"maker", "ovlp: SIGSEGV in the state's maker in places[1] on node0\n"},
          {"on_leave", "ovlp: SIGSEGV in on_leave in places[1] on node0\n"},
          {"own thread", "ovlp: SIGSEGV in another thread, while there ran leaf 'bad' in workers[1]"},
          {"uncaught", "ovlp: SIGABRT in another thread, while there ran leaf 'bad' in workers[1]"}}) {
      std::string const kind = crash.first, line = crash.second;
      CAPTURE(backend);
      CAPTURE(kind);
      check_names(backend, kind, line);
    }
  }
}

TEST_CASE("an operation that happens to run when its process is killed from outside is not blamed") {
  for (std::string const backend : {"real", "simulated"}) {
    process run(ovlp::base::command{application(backend, "killed")});
    auto const status = run.wait(30s);
    REQUIRE(status.has_value());
    CHECK(*status != 0);
    CHECK_FALSE(contains(run.err(), "SIGSEGV in"));
  }
}

TEST_CASE("who keeps an argument of an operation and uses it later is named") {
  for (std::string const backend : {"real", "simulated"}) {
    process run(ovlp::base::command{{CRASH_APP, "--nodes", "1", "--backend=" + backend, "--kind", "kept"}});
    auto const status = run.wait(30s);
    CAPTURE(run.err());
    REQUIRE(status.has_value());
    CHECK(*status != 0);
    CHECK((contains(run.err(), "used after its operation had ended") || contains(run.err(), "SIGSEGV in leaf 'bad'") ||
           contains(run.err(), "but another thread has called one of")));
    CHECK(contains(run.err(), "bad"));
  }
}
#endif

TEST_CASE("a thread of an operation's own that does a kernel is told so in one line") {
  for (std::string const backend : {"real", "simulated"}) {
    process run(ovlp::base::command{{CRASH_APP, "--nodes", "1", "--backend=" + backend, "--kind", "other thread"}});
    auto const status = run.wait(30s);
    CAPTURE(run.err());
    REQUIRE(status.has_value());
    CHECK(*status == 1);
    CHECK(run.err() ==
          "ovlp: post, wait and kernels are for the operation itself, but another thread has called one of leaf 'bad' "
          "in workers[0] on node0\n");
  }
}

TEST_CASE("an operation that runs or is blocked for ten seconds of a real run is named once, and again at the end") {
  std::vector<std::pair<std::string, std::unique_ptr<process>>> runs;
  for (std::string const kind : {"loop", "kernel", "sleep", "mutex"}) {
    std::vector<std::string> words = application("real", kind);
    if (kind == "mutex") words[2] = "1";
    runs.emplace_back(kind, std::make_unique<process>(ovlp::base::command{words}));
  }
  for (auto const& started : runs) {
    std::string const& kind = started.first;
    std::unique_ptr<process> const& run = started.second;
    CAPTURE(kind);
    std::string const named = "leaf 'bad' in workers[" + std::string(kind == "mutex" ? "0] on node0" : "1] on node1") +
                              " has been in one step for 10 s";
    bool const there = eventually(30s, [&run = *run, named] { return contains(run.err(), named); });
    CAPTURE(run->err());
    REQUIRE(there);
    std::string const line = run->err().substr(run->err().find(named) + named.size());
    CHECK(line.starts_with(kind == "loop"     ? "; now it computes\n"
                           : kind == "kernel" ? ", in kernel 'crash.endless'; now it computes\n"
                                              : "; now it is blocked\n"));
    CHECK(run->err().find(named) == run->err().rfind(named));
    std::size_t const before = run->err().size();
    run->kill_group(SIGINT);
    auto const status = run->wait(10s);
    REQUIRE(status.has_value());
    CHECK(*status != 0);
#ifdef OVLP_THREAD_SANITIZER
    static_cast<void>(before);  // interrupted, it names nothing
#else
    if (kind == "mutex") CHECK(contains(run->err().substr(before), "has been in one step for 1"));
#endif
  }
}

#ifndef OVLP_THREAD_SANITIZER
TEST_CASE("a simulated operation that does not end is named when the simulation is interrupted") {
  for (int const signal : {SIGINT, SIGQUIT, SIGTERM}) {
    process run(ovlp::base::command{application("simulated", "kernel")});
    std::this_thread::sleep_for(2500ms);
    run.kill_group(signal);
    auto const status = run.wait(10s);
    CAPTURE(run.err());
    REQUIRE(status.has_value());
    CHECK(*status != 0);
    CHECK(contains(run.err(), "ovlp: " + where + " has been in one step for "));
    CHECK(contains(run.err(), ", in kernel 'crash.endless'; now it computes\n"));
  }
}
#endif
