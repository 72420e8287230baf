// SPDX-License-Identifier: BSD-3-Clause
// What a run keeps of changes of collections once they are over: nothing.
#include "support/counted_memory.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace {

using engine = ovlp::engine_base;
using ovlp::threads;
using ovlp::testing::memory;

struct Note {
  int value;
};
struct Counter {
  std::vector<int> values;
};

/// Blocks that `times` changes and what undoes them have left.
template <class Change, class Undo>
std::ptrdiff_t left_by(int times, Change const& change, Undo const& undo) {
  std::ptrdiff_t const before = memory.live_blocks;
  for (int i = 0; i < times; ++i) {
    change();
    undo();
  }
  return memory.live_blocks - before;
}

constexpr int some = 20, many = 200;

}  // namespace

TEST_CASE("many remaps leave no more memory in use than a few") {
  ovlp::testing::run_on(
      2, {},
      [](engine& run) {
        threads<> master("master", "node0 node1");
        threads<Counter> workers("workers", "node0*4");
        ovlp::graph<Note, Note> const graph(ovlp::leaf("begin", master.at(0), [](Note n) { return n; }) >>
                                            ovlp::leaf("count", workers.at(1), [](ovlp::here<Counter>& here, Note n) {
                                              here.state.values.push_back(n.value);
                                              return n;
                                            }));
        run(graph, Note{1});
        auto const away = [&] { run.remap(workers, "node1*4"); };
        auto const back = [&] { run.remap(workers, "node0*4"); };
        left_by(some, away, back);
        CHECK(left_by(many, away, back) < some);
        CHECK(run(graph, Note{2}).value == 2);
      },
      ovlp::testing::checks::none);
}

TEST_CASE("many resizes leave no more memory in use than a few") {
  ovlp::testing::run_on(
      2, {},
      [](engine& run) {
        threads<> master("master", "node0 node1"), workers("workers", "node0*4 node1*4");
        ovlp::graph<Note, Note> const graph(ovlp::leaf("begin", master.at(0), [](Note n) { return n; }) >>
                                            ovlp::leaf("pass", workers.at(1), [](Note n) { return n; }));
        run(graph, Note{1});
        auto const fewer = [&] { run.resize(workers, 2); };
        auto const more = [&] { run.resize(workers, 8); };
        left_by(some, fewer, more);
        CHECK(left_by(many, fewer, more) < some);
        CHECK(run(graph, Note{2}).value == 2);
      },
      ovlp::testing::checks::none);
}

TEST_CASE("many launches of a node leave no more memory in use than a few") {
  ovlp::testing::really_run_on(
      2, {},
      [](engine& run) {
        threads<> master("master", "node0"), workers("workers", "node0*2");
        ovlp::graph<Note, Note> const graph(ovlp::leaf("begin", master.at(0), [](Note n) { return n; }) >>
                                            ovlp::leaf("pass", workers.at(1), [](Note) { return Note{::getpid()}; }));
        int process = run(graph, Note{1}).value;
        int launches = 0;
        auto const launch = [&] {
          run.remap(workers, "node1*2");
          if (std::exchange(process, run(graph, Note{1}).value) != process) ++launches;
        };
        auto const release = [&] {
          run.remap(workers, "node0*2");
          siginfo_t ended{};  // of the process; it is ours to wait for, but the engine does
          while (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 &&
                 ended.si_pid == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        auto const blocks_after = [&](int times) {
          left_by(times, launch, release);
          while (::kill(process, 0) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));  // until it is reaped
          return memory.live_blocks.load();
        };
        std::ptrdiff_t const before = blocks_after(some);
        CHECK(blocks_after(2 * some) - before < 2 * some);
        CHECK(launches == 3 * some);
        CHECK(run(graph, Note{2}).value == ::getpid());
      },
      ovlp::testing::checks::none);
}
