// SPDX-License-Identifier: BSD-3-Clause
// Simulated runs whose times can be computed by hand.
#include "support/fan.hpp"
#include "support/process.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/runtime/real.hpp>
#include <ovlp/simkernel/simulated.hpp>

namespace {

using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using ovlp::testing::Done;
using ovlp::testing::extra_bytes;
using ovlp::testing::fan;
using ovlp::testing::simulate_on;
using ovlp::testing::Start;
using ovlp::testing::Task;
using ovlp::testing::thrown_by;
using engine = ovlp::engine_base;

/// 1 core a node, 1 ms latency, 1 MB/s; kernel "one" takes 1 s for each unit of its size.
std::string platform(std::string const& more = "") {
  return R"({"name": "test", "reference_core": "any", "nodes": [{"count": 4, "cores": 1, "speed": 1}],
  "network": {"model": "star", "latency_s": 0.001, "bandwidth_Bps": 1e6},
  "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}})" +
         more + "}";
}

std::vector<std::string> partial(std::string const& file) {
  return {"--platform", file, "--execution", "partial", "--no-alloc"};
}

/// A run on so many nodes of the platform that a text describes.
void simulate(std::size_t nodes, std::string const& on, ovlp::testing::run_body const& body) {
  ovlp::testing::temporary_folder const folder;
  simulate_on(nodes, partial(folder.file("p.json", on)), [&](engine& run) {
    run.record();
    body(run);
  });
}

/// How long a fan of 1 MB objects takes from node 0, on a platform of which `more` is said.
double fan_time_s(std::string const& more, char const* workers_on, int tasks, int seconds) {
  double time_s = 0;
  simulate(4, platform(more), [&](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", workers_on};
    run(fan(master, workers, tasks, 1'000'000, seconds), {});
    time_s = run.summary().time_s;
  });
  return time_s;
}

/// One object to a node that waits for it, a kernel and the answer; messages cost 0.1 s, and what an effect adds.
double message_time_s(std::string const& effect = {}, int seconds = 3) {
  std::string const effects = effect.empty() ? "" : R"(, "effects": [)" + effect + "]";
  return fan_time_s(R"(, "comm_cpu": {"incoming": [0], "outgoing": [0], "per_message_s": 0.1})" + effects, "node1", 1,
                    seconds);
}
std::string wakeup(double send_s) { return R"({"name": "wakeup", "send_s": )" + std::to_string(send_s) + "}"; }
std::string cache_cooling(double send_s, double receive_s, double pause_s) {
  return R"({"name": "cache_cooling", "send_s": )" + std::to_string(send_s) + R"(, "receive_s": )" +
         std::to_string(receive_s) + R"(, "pause_s": )" + std::to_string(pause_s) + R"(, "computing_s": 0})";
}

/// What a message costs more that comes after such a pause, if caches that cool in 2 s make it cost 0.5 s more.
double cooled_s(double pause_s) { return 0.5 * (1 - std::exp(-pause_s / 2)); }

}  // namespace

TEST_CASE("time of a transfer, a kernel and the way back") {
  simulate(2, platform(), [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    CHECK(run(fan(master, workers, 1, 1'000'000, 3), {}).tasks == 1);
    auto const figures = run.summary();
    // latency and a second of transfer, 3 s of work, latency and 4 bytes back
    CHECK(figures.time_s == doctest::Approx(0.001 + 1 + 3 + 0.001 + 4e-6).epsilon(1e-9));
    CHECK(figures.work_s == doctest::Approx(3));
    CHECK(figures.transfers == 2);
    CHECK(figures.bytes == 1'000'004);
  });
}

TEST_CASE("with barriers a stream posts when all of its objects have come, as a merge and a split would") {
  // Three objects, one a second, pass a stream and take two seconds each in the leaf behind it. The window of the split
  // holds one object: what the stream holds back has been taken in all the same.
  for (bool const barriers : {false, true}) {
    CAPTURE(barriers);
    ovlp::testing::temporary_folder const folder;
    std::vector<std::string> options = partial(folder.file("p.json", platform()));
    if (barriers) options.emplace_back("--barriers");
    simulate_on(3, options, [&](engine& run) {
      run.record();
      threads<> const master{"master", "node0"}, middle{"middle", "node1"}, workers{"workers", "node2"};
      graph<Start, Done> g;
      auto deal = g.split("deal", master, [](here<>& here, Start, out<int>& tasks) {
        for (int i = 1; i <= 3; ++i) {
          here.kernel("one", {1}, [] {});
          tasks.post(i);
        }
      });
      auto pass = g.stream("pass", middle, [](in<int>& tasks, out<int>& further) {
        while (auto const task = tasks.wait()) further.post(*task);
      });
      auto work = g.leaf("work", workers, [](here<>& here, int task) {
        here.kernel("one", {2}, [] {});
        return task;
      });
      auto add = g.merge("add", master, [](in<int>& done) {
        Done all{0};
        while (auto const task = done.wait()) all.tasks += *task;
        return all;
      });
      g.enter(deal, ovlp::at(0));
      g.edge(deal.port<int>().window(1), pass, ovlp::at(0));
      g.edge(pass.port<int>(), work, ovlp::at(0));
      g.edge(work, add, ovlp::at(0));
      g.leave(add);
      CHECK(run(g, {}).tasks == 6);
      // Messages take a millisecond and less.
      CHECK(run.summary().time_s == doctest::Approx(barriers ? 3 + 6 : 1 + 6).epsilon(0.002));
    });
  }
}

TEST_CASE("a merge that waited goes on at once while a kernel of another collection runs on its node") {
  std::string file = platform();
  file.replace(file.find(R"("cores": 1)"), 10, R"("cores": 2)");
  simulate(2, file, [](engine& run) {
    threads<> const dealer{"dealer", "node1"}, workers{"workers", "node1 node0"}, master{"master", "node0"};
    auto const g = ovlp::split("deal", dealer.at(0),
                               [](here<>& here, Start, out<int>& tasks) {
                                 tasks.post(0);
                                 here.kernel("one", {4}, [] {});  // until the merge waits for the second one
                                 tasks.post(1);
                                 tasks.post(2);
                               }) >>
                   ovlp::leaf("work", workers.in_turn(),
                              [](here<>& here, int task) {
                                here.kernel("one", {task == 1 ? 20 : 2}, [] {});  // the second one beside the merge
                                return task;
                              }) >>
                   ovlp::merge("add", master.at(0), [](here<>& here, in<int>& done) {
                     Done all{0};
                     while (auto const task = done.wait()) {
                       here.iteration(1 + *task);
                       here.kernel("one", {1}, [] {});
                       ++all.tasks;
                     }
                     return all;
                   });
    CHECK(run(g, {}).tasks == 3);
    auto const figures = run.summary();
    REQUIRE(figures.iterations.size() == 3);
    // The third task is done at 6 s on node 1, and taken in at once, not when the second is done at 24.
    CHECK(figures.iterations[2].end_s == doctest::Approx(7).epsilon(0.01));
    CHECK(figures.time_s == doctest::Approx(25).epsilon(0.01));
  });
}

TEST_CASE("what a merge of an empty group computes belongs to the iteration that opened the group") {
  simulate(1, platform(), [](engine& run) {
    threads<> const master{"master", "node0"};
    graph<Done, Done> const step = ovlp::split("post nothing", master.at(0), [](Done, out<Done>&) {}) >>
                                   ovlp::merge("compute", master.at(0), [](here<>& here, in<Done>& none) {
                                     while (none.wait()) {
                                     }
                                     here.kernel("one", {2}, [] {});
                                     return Done{1};
                                   });
    graph<Done, Done> g("steps");
    auto const repeated = g.repeat("repeat", master, step, 3);
    g.enter(repeated, ovlp::at(0));
    g.leave(repeated);
    run.add(step);
    run(g, {0});
    auto const figures = run.summary();
    CHECK(figures.work_s == doctest::Approx(6));
    REQUIRE(figures.iterations.size() == 3);
    for (auto const& iteration : figures.iterations) CHECK(iteration.work_s == doctest::Approx(2));
  });
  SUBCASE("also where the split itself says which one that is") {
    simulate(1, platform(), [](engine& run) {
      threads<> const master{"master", "node0"};
      run(ovlp::split("post nothing", master.at(0), [](here<>& here, Done, out<Done>&) { here.iteration(3); }) >>
              ovlp::merge("compute", master.at(0),
                          [](here<>& here, in<Done>& none) {
                            none.drain();
                            here.kernel("one", {2}, [] {});
                            return Done{1};
                          }),
          {0});
      auto const figures = run.summary();
      REQUIRE(figures.iterations.size() == 1);
      CHECK(figures.iterations[0].index == 3);
      CHECK(figures.iterations[0].work_s == doctest::Approx(2));
    });
  }
}

namespace {

/// The graph of the paper's figure 2: a split posts two objects of 1 MB after S1 and S2 seconds, two leaves on nodes
/// of their own answer with 0.5 MB after O1 and O2, a merge takes each in for M seconds. Iterations 1 to 6 are S1, S2,
/// O1, O2, M1, M2.
ovlp::summary figure_2(engine& run, int s1, int s2, int o1, int o2, int m) {
  threads<> const master{"master", "node0"}, workers{"workers", "node1 node2"};
  struct Answer {
    int number;
    ovlp::buffer<unsigned char> ballast;
  };
  auto const g = ovlp::split("split", master.at(0),
                             [=](here<>& here, Start, out<Task>& tasks) {
                               for (int i : {0, 1}) {
                                 here.iteration(1 + i);
                                 here.kernel("one", {i == 0 ? s1 : s2}, [] {});
                                 tasks.post({i, ovlp::buffer<unsigned char>(1'000'000 - extra_bytes)});
                               }
                             }) >>
                 ovlp::leaf("leaf", workers.in_turn(),
                            [=](here<>& here, Task task) {
                              here.iteration(3 + task.number);
                              here.kernel("one", {task.number == 0 ? o1 : o2}, [] {});
                              return Answer{task.number, ovlp::buffer<unsigned char>(500'000 - extra_bytes)};
                            }) >>
                 ovlp::merge("merge", master.at(0), [=](here<>& here, in<Answer>& answers) {
                   while (auto answer = answers.wait()) {
                     here.iteration(5 + answer->number);
                     here.kernel("one", {m}, [] {});
                   }
                   return Done{2};
                 });
  run(g, {});
  return run.summary();
}

}  // namespace

TEST_CASE("the paper's figures 2 and 4: steps and transfers overlap in simulated time") {
  auto const check = [](ovlp::summary const& figures, std::vector<std::pair<double, double>> const& expected) {
    REQUIRE(figures.iterations.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      CHECK(figures.iterations[i].start_s == doctest::Approx(expected[i].first).epsilon(1e-9));
      CHECK(figures.iterations[i].end_s == doctest::Approx(expected[i].second).epsilon(1e-9));
    }
  };
  simulate(3, platform(), [&](engine& run) {
    // T1 is over before S2 is; each transfer has its link for itself: 1.001 s there, 0.501 s back.
    auto const figures = figure_2(run, 1, 2, 3, 4, 1);
    // clang-format off
    check(figures, {{0, 1}, {1, 3},                     // S1, S2
                    {2.001, 5.001}, {4.001, 8.001},     // O1 after T1, O2 after T2
                    {5.502, 6.502}, {8.502, 9.502}});   // M1 after T1'; M2 after T2', the merge waits in between
    // clang-format on
    CHECK(figures.time_s == doctest::Approx(9.502).epsilon(1e-9));
    CHECK(figures.transfers == 4);
    CHECK(figures.atomic_steps == 9);  // the split's two posts and end, two leaves, the merge's three waits and end
  });
  simulate(3, platform(), [&](engine& run) {
    // S2 takes no time: T2 starts with T1, and both share the link of node 0: 2.001 s. Answers share it the other way.
    auto const figures = figure_2(run, 1, 0, 3, 3, 1);
    // clang-format off
    check(figures, {{0, 1}, {1, 1}, {3.001, 6.001}, {3.001, 6.001},
                    {7.002, 8.002}, {8.002, 9.002}});  // M2 waits for M1: one operation
    // clang-format on
  });
}

TEST_CASE("two transfers: the second comes while the first is under way") {
  // Like figure 2, on cores of twice the speed, without latency: S2 lasts half of T1.
  std::string const slow = R"({"name": "test", "reference_core": "any", "nodes": [{"count": 4, "cores": 1, "speed": 2}],
    "network": {"model": "star", "latency_s": 0, "bandwidth_Bps": 1e6},
    "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}}})";
  simulate(3, slow, [&](engine& run) {
    auto const figures = figure_2(run, 2, 1, 20, 40, 2);
    // S1 until 1, S2 until 1.5. T1 alone until 1.5, half done; then at half the bandwidth until 2.5. T2 has then half
    // to go, alone until 3.
    CHECK(figures.iterations[2].start_s == doctest::Approx(2.5).epsilon(1e-9));
    CHECK(figures.iterations[3].start_s == doctest::Approx(3.0).epsilon(1e-9));
  });
}

TEST_CASE("a node that leaves in mid-run is held until its work is done, and counts no longer") {
  simulate(3, platform(), [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1 node2"};
    graph<Start, Done> g("shrinking");
    auto const post_two = [](here<>& here, int iteration, out<Task>& tasks) {
      here.iteration(iteration);
      for (int i : {0, 1}) tasks.post({i, {}});
    };
    auto const work = [](here<>& here, Task task) {
      here.kernel("one", {10}, [] {});
      return Done{task.number};
    };
    auto first = g.split("first", master, [=](here<>& here, Start, out<Task>& tasks) { post_two(here, 1, tasks); });
    auto work_1 = g.leaf("work", workers, work);
    auto then = g.stream("then", master, [=](here<>& here, in<Done>& done, out<Task>& tasks) {
      while (done.wait()) {
      }
      here.resize(workers, 1);
      post_two(here, 2, tasks);
    });
    auto work_2 = g.leaf("work", workers, work);
    auto end = g.merge("end", master, [](in<Done>& done) {
      while (done.wait()) {
      }
      return Done{4};
    });
    g.enter(first, ovlp::at(0));
    g.edge(first, work_1, ovlp::in_turn());
    g.edge(work_1, then, ovlp::at(0));
    g.edge(then, work_2, ovlp::in_turn());
    g.edge(work_2, end, ovlp::at(0));
    g.leave(end);
    CHECK(run(g, {}).tasks == 4);
    auto const figures = run.summary();
    // Three nodes for 10 s with 20 s of work; two nodes for 20 s with as much. Latencies are a thousandth of that.
    CHECK(figures.time_s == doctest::Approx(30).epsilon(0.002));
    REQUIRE(figures.iterations.size() == 2);
    CHECK(*figures.iterations[0].efficiency == doctest::Approx(20.0 / 30).epsilon(0.002));
    CHECK(*figures.iterations[1].efficiency == doctest::Approx(20.0 / 40).epsilon(0.002));
    CHECK(*figures.iterations[0].interval_efficiency == doctest::Approx(20.0 / 30).epsilon(0.002));
    CHECK(*figures.iterations[1].interval_efficiency == doctest::Approx(20.0 / 40).epsilon(0.002));
  });
}

TEST_CASE("a graph that can never end is reported with each operation that waits") {
  simulate_on(2, {}, [](engine& run) {
    struct State {
      bool ready = false;
    };
    threads<> const master{"master", "node0"};
    threads<State> const workers{"workers", "node0 node1"};
    auto const g = ovlp::split("deal", master.at(0),
                               [](Start, out<Task>& tasks) {
                                 for (int i = 0; i < 3; ++i) tasks.post({i, {}});
                               }) >>
                   ovlp::leaf("wait", workers.in_turn(),
                              [](here<State>& here, Task task) {
                                if (here.index() == 1) here.wait_until([&] { return here.state.ready; });
                                return Done{task.number};
                              }) >>
                   ovlp::merge("count", master.at(0), [](in<Done>& done) {
                     while (done.wait()) {
                     }
                     return Done{3};
                   });
    auto const error = thrown_by<ovlp::stalled>([&] { run(g, {}); });
    std::string const text = error.what();
    CHECK(text.starts_with("the call can never end: nothing runs, nothing is in flight"));
    CHECK(ovlp::testing::contains(text, "merge 'count' in master[0] on node0 waits for an object: group "));
    CHECK(ovlp::testing::contains(text, " of split 'deal': 2 received, 1 missing"));
    CHECK(ovlp::testing::contains(text, "leaf 'wait' in workers[1] on node1 waits for its condition"));
  });
}

TEST_CASE("an operation that finds no memory is named") {
  simulate_on(1, {}, [](engine& run) {
    threads<> const master{"master", 1};
    graph<Start, Done> const g = ovlp::leaf("greedy", master.at(0), [](Start) -> Done { throw std::bad_alloc(); });
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {}); });
    CHECK(error.operation == "greedy");
    CHECK(ovlp::testing::contains(
        error.text, "memory ran out: of the machine, or a limit (ulimit -v, a control group). A port's window bounds"));
  });
}

TEST_CASE("transfers from one node share its link; one connection carries one object at a time") {
  auto const time_of = [](std::string const& more, char const* where) { return fan_time_s(more, where, 3, 0); };
  // Three objects to three nodes: each at a third of the bandwidth.
  CHECK(time_of("", "node1 node2 node3") == doctest::Approx(3.002).epsilon(1e-4));
  // To one node one after another, down one wire, or all at once.
  CHECK(time_of("", "node1") == doctest::Approx(3.002).epsilon(1e-4));
  CHECK(time_of(R"(, "runtime": {"concurrent_per_pair": 0})", "node1") == doctest::Approx(3.002).epsilon(1e-4));
}

TEST_CASE("a thousand small objects cross a slow link in little more than its latency") {
  auto const whole_s = [](std::string const& more) {
    double time_s = 0;
    std::string const slow =
        R"({"name": "slow", "reference_core": "any", "nodes": [{"count": 2, "cores": 1, "speed": 1}],
      "network": {"model": "star", "latency_s": 5, "bandwidth_Bps": 1e6})" +
        more + "}";
    simulate(2, slow, [&](engine& run) {
      threads<> const master{"master", "node0"}, workers{"workers", "node1"};
      auto const answer = [](Task t) { return Done{t.number}; };
      auto const g = ovlp::testing::deal(master, 1000, 20) >> ovlp::leaf("answer", workers.at(0), answer) >>
                     ovlp::testing::count(master);
      CHECK(run(g, {}).tasks == 1000);
      time_s = run.summary().time_s;
    });
    return doctest::Approx(time_s).epsilon(1e-9);
  };
  // Each has 20 bytes and an answer of 4. Over one connection answers go back while other objects still come.
  double const objects_s = 1000 * 20e-6, answer_s = 4e-6;
  CHECK(whole_s("") == 5 + objects_s + 5 + answer_s);
  CHECK(whole_s(R"(, "transport": {"model": "stream", "buffer_bytes": 1e6})") == 5 + objects_s + 5 + answer_s);
  // All together, which end at once.
  CHECK(whole_s(R"(, "runtime": {"concurrent_per_pair": 0})") == 5 + objects_s + 5 + 1000 * answer_s);
}

TEST_CASE("communication takes processor time from steps") {
  std::string const more = R"(, "comm_cpu": {"incoming": [0, 0.5], "outgoing": [0, 0.25]})";
  simulate(2, platform(more), [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    run(fan(master, workers, 2, 1'000'000, 2), {});
    // The first object is there at 1.001; while the second comes, from then to 2.001, half a core is left for the first
    // task; then the second task, 2 s.
    double const first_end = 1.001 + 1.0 + (2 - 0.5);
    CHECK(run.summary().time_s == doctest::Approx(first_end + 2 + 0.001 + 4e-6).epsilon(1e-6));
  });
}

TEST_CASE("a connection takes an object when the one before has been copied, if it holds both") {
  auto const time_of = [](std::string const& connection) {
    std::string const costs = R"(, "comm_cpu": {"incoming": [0], "outgoing": [0], "per_byte_s": 1e-6,
      "receive_per_byte_s": 0})";
    return fan_time_s(costs + connection, "node1", 3, 0);
  };
  // Each object takes 1 s to copy and 1 s to cross the network, after a latency of 1 ms that passes while it waits; the
  // last answer 1.004 ms and 4 us to copy.
  double const answer_s = 0.001 + 8e-6;
  CHECK(time_of("") == doctest::Approx(3 * 2 + 0.001 + answer_s).epsilon(1e-6));
  // While one crosses the network the next is copied.
  CHECK(time_of(R"(, "transport": {"model": "stream", "buffer_bytes": 1e7})") ==
        doctest::Approx(1 + 3 + 0.001 + answer_s).epsilon(1e-6));
  // It does not hold one: the next waits until that has crossed.
  CHECK(time_of(R"(, "transport": {"model": "stream", "buffer_bytes": 5e5})") ==
        doctest::Approx(3 * 2.001 + answer_s).epsilon(1e-6));
}

TEST_CASE("who sends to a node that does nothing wakes it") {
  // The object and the answer.
  CHECK(message_time_s(wakeup(0.25)) == doctest::Approx(message_time_s() + 2 * 0.25).epsilon(1e-9));
}

TEST_CASE("the first message that a node sends after a kernel costs more") {
  // Cold: the answer.
  CHECK(message_time_s(cache_cooling(0.5, 0, 0)) == doctest::Approx(message_time_s() + 0.5).epsilon(1e-9));
  // A pause cools as well, in the course of time: node 1 has waited for the object.
  auto const idle_time_of = [](std::string const& more) { return message_time_s(more, 0); };
  double const cold = 1 - std::exp(-(0.1 + 1.001) / 2);
  CHECK(idle_time_of(cache_cooling(0.5, 0, 2)) == doctest::Approx(idle_time_of("") + 0.5 * cold).epsilon(1e-9));
}

TEST_CASE("a message costs more the longer its node has had none") {
  double const awake_s = message_time_s();
  CHECK(message_time_s(cache_cooling(0, 0.5, 0)) == doctest::Approx(awake_s + 2 * 0.5).epsilon(1e-9));
  // The object leaves at 0.1 and comes at 1.101; the answer leaves after another message and the kernel, and comes when
  // node 0 has had none since the object left.
  double const first_s = cooled_s(0.1 + 1.001), second_s = cooled_s(1.001 + 0.1 + first_s + 3 + 0.1 + 0.001 + 4e-6);
  CHECK(message_time_s(cache_cooling(0, 0.5, 2)) == doctest::Approx(awake_s + first_s + second_s).epsilon(1e-9));
}

TEST_CASE("a message costs more the longer its node has had none, also while it computes") {
  auto const time_of = [](std::string const& more) { return fan_time_s(more, "node1", 2, 3); };
  // The second object leaves when the first has come and comes 1 s later, in the middle of a kernel of 3 s, which
  // ends later by what the object costs. Of the answers only the last one makes the run longer.
  double const first_s = cooled_s(1.001), second_s = cooled_s(1 - first_s);
  double const answered_s = 1.001 + first_s + 3 + second_s + 0.001 + 4e-6;
  double const last_s = cooled_s(3 - cooled_s(answered_s - 1.001));
  CHECK(time_of(R"(, "effects": [)" + cache_cooling(0, 0.5, 2) + "]") ==
        doctest::Approx(time_of("") + first_s + second_s + last_s).epsilon(1e-9));
}

TEST_CASE("who sends copies its object before it goes on, if connections buffer") {
  auto const time_of = [&](std::string const& connection) {
    std::string const costs = R"(, "comm_cpu": {"incoming": [0], "outgoing": [0], "per_byte_s": 1e-6,
      "receive_per_byte_s": 0})";
    double time_s = 0;
    simulate(2, platform(costs + connection), [&](engine& run) {
      threads<> const master{"master", "node0"}, workers{"workers", "node1"};
      auto const g = ovlp::split("deal", master.at(0),
                                 [](here<>& here, Start, out<Task>& posted) {
                                   posted.post({0, ovlp::buffer<unsigned char>(1'000'000 - extra_bytes)});
                                   here.kernel("one", {3}, [] {});
                                 }) >>
                     ovlp::leaf("work", workers.at(0),
                                [](here<>& here, Task task) {
                                  here.kernel("one", {4}, [] {});
                                  return Done{task.number};
                                }) >>
                     ovlp::merge("count", master.at(0), [](in<Done>& done) {
                       while (done.wait()) continue;
                       return Done{1};
                     });
      run(g, {});
      time_s = run.summary().time_s;
    });
    return time_s;
  };
  double const then_s = 1.001 + 4 + 0.001 + 8e-6;
  CHECK(time_of("") == doctest::Approx(2 + then_s).epsilon(1e-6));  // beside the kernel, at half speed
  CHECK(time_of(R"(, "transport": {"model": "stream", "buffer_bytes": 1e7})") ==
        doctest::Approx(1 + then_s).epsilon(1e-6));
}

TEST_CASE("in a stream control messages come after the object in transfer before them") {
  auto const time_of = [&](std::string const& transport) {
    double time_s = 0;
    simulate(3, platform(transport), [&](engine& run) {
      threads<> const master{"master", "node0"}, second{"second", "node1"}, third{"third", "node2"};
      auto const large = fan(master, third, 1, 1'000'000, 0);
      // Its object goes round by node 1; that it is the only one is told to node 2 directly.
      graph<Start, Done> const small =
          ovlp::split("open", master.at(0), [](Start, out<Done>& one) { one.post({1}); }) >>
          ovlp::leaf("pass", second.at(0), [](Done done) { return done; }) >>
          ovlp::merge("close", third.at(0), [](in<Done>& all) {
            Done last{0};
            while (auto one = all.wait()) last = *one;
            return last;
          });
      run.add(small);
      auto first = run.async(large, {});
      auto call = run.async(small, {});
      call.get();
      time_s = run.summary().time_s;
      first.get();
    });
    return time_s;
  };
  CHECK(time_of("") == doctest::Approx(0.003).epsilon(0.01));
  CHECK(time_of(R"(, "transport": {"model": "stream", "buffer_bytes": 1e7})") ==
        doctest::Approx(1.001 + 0.001).epsilon(0.001));
}

TEST_CASE("under a quota a virtual node computes in grants, and gives less") {
  std::string const text = R"({"name": "test", "reference_core": "any",
    "nodes": [{"count": 2, "cores": 1, "speed": 1, "quota": {"share": 0.5, "period_s": 0.1}}],
    "network": {"model": "max-min", "latency_s": 0.001, "bandwidth_Bps": 1e6, "burst_bytes": 1000},
    "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}}})";
  simulate(2, text, [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    run(fan(master, workers, 1, 1'000'000, 3), {});
    auto const figures = run.summary();
    // Half of the time from some place in a period on, so 6 s but for a part of one.
    CHECK(figures.time_s == doctest::Approx(0.001 + 0.999 + 6 + 0.001).epsilon(0.01));
    CHECK(figures.efficiency == doctest::Approx(3 / figures.time_s).epsilon(1e-6));
  });
}

TEST_CASE("what communication takes while nothing is transferred, it takes from the beginning") {
  std::string const more = R"(, "comm_cpu": {"incoming": [0.5], "outgoing": [0]})";
  simulate(1, platform(more), [](engine& run) {
    threads<> const master{"master", 1};
    run(fan(master, master, 2, 100, 3), {});
    CHECK(run.summary().time_s == doctest::Approx(12));
  });
}

TEST_CASE("a window of time is at most the call and at least a thousandth of it") {
  ovlp::testing::temporary_folder const folder;
  auto options = partial(folder.file("p.json", platform()));
  options.insert(options.end(), {"--window", ""});
  for (auto const& [window, windows] : {std::pair<std::string, std::size_t>{"1e-9", 1999}, {"1", 11}, {"1e9", 1}}) {
    options.back() = window;
    simulate_on(1, options, [&, windows = windows](engine& run) {
      run.record();
      threads<> const master{"master", 1};
      run(fan(master, master, 2, 100, 3), {});
      auto const figures = run.summary();
      CHECK(figures.over_time.size() == windows);
      CHECK(figures.over_time.front().efficiency == doctest::Approx(1));
      CHECK(figures.over_time.back().end_s == doctest::Approx(6));
    });
  }
}

TEST_CASE("a window bounds the objects under way") {
  simulate(2, platform(), [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    run(fan(master, workers, 3, 1'000'000, 1, 1), {});
    // One after another: there, work, back; the credit is given on node 0.
    CHECK(run.summary().time_s == doctest::Approx(3 * (0.001 + 1 + 1 + 0.001 + 4e-6)).epsilon(1e-6));
  });
}

TEST_CASE("speed and cores of the platform's nodes") {
  std::string const text = R"({"name": "two kinds", "reference_core": "any",
    "nodes": [{"count": 1, "cores": 1, "speed": 1}, {"count": 1, "cores": 2, "speed": 4}],
    "network": {"model": "star", "latency_s": 0, "bandwidth_Bps": 1e12},
    "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}}})";
  simulate(2, text, [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1*2"};
    run(fan(master, workers, 2, 100, 8), {});
    CHECK(run.summary().time_s == doctest::Approx(2));
  });
}

TEST_CASE("dynamic efficiency: work divided by what the held nodes could have done") {
  simulate(2, platform(), [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node0 node1"};
    auto const g = ovlp::split("deal", master.at(0),
                               [](here<>& here, Start, out<Task>& posted) {
                                 here.iteration(1);
                                 for (int i = 0; i < 2; ++i) posted.post({i, {}});
                               }) >>
                   ovlp::leaf("work", workers.in_turn(),
                              [](here<>& here, Task task) {
                                here.kernel("one", {task.number == 0 ? 1 : 4}, [] {});
                                return Done{task.number};
                              }) >>
                   ovlp::merge("count", master.at(0), [](in<Done>& done) {
                     while (done.wait()) {
                     }
                     return Done{2};
                   });
    run(g, {});
    auto const figures = run.summary();
    REQUIRE(figures.iterations.size() == 1);
    REQUIRE(figures.iterations[0].efficiency);
    // 5 s of work on two nodes in a little over 4 s
    CHECK(*figures.iterations[0].efficiency == doctest::Approx(5.0 / 8.0).epsilon(0.002));
    CHECK(*figures.iterations[0].interval_efficiency == doctest::Approx(5.0 / 8.0).epsilon(0.002));
  });
}

TEST_CASE("a kernel without an estimate is an error that names it and its sizes") {
  simulate_on(1, {"--execution", "partial"}, [](engine& run) {
    threads<> const master{"master", 1};
    auto const error = thrown_by<ovlp::operation_error>([&] { run(fan(master, master, 1, 100, 7), {}); });
    CHECK(ovlp::testing::contains(error.text, "no estimate for kernel 'one' of sizes [7]"));
    CHECK(ovlp::testing::contains(error.text, "run.estimate(\"one\", 0.0)"));
  });
}

TEST_CASE("estimates come from a file, else from the program, else from the platform") {
  ovlp::testing::temporary_folder const folder;
  auto options = partial(folder.file("p.json", platform()));
  options.insert(options.end(), {"--durations", folder.file("d.json", R"({"reference_core": "any", "kernels": {
    "one": [{"sizes": [2], "mean_s": 20, "count": 3000000, "standard_deviation_s": 0}]}})")});
  auto const time_of = [&](int seconds, bool from_program) {
    double time_s = 0;
    simulate_on(1, options, [&](engine& run) {
      run.record();
      if (from_program) run.estimate("one", [](auto sizes) { return 100.0 + static_cast<double>(sizes[0]); });
      threads<> const master{"master", 1};
      run(fan(master, master, 1, 100, seconds), {});
      time_s = run.summary().time_s;
    });
    return time_s;
  };
  CHECK(time_of(2, true) == 20);
  CHECK(time_of(3, true) == 103);
  CHECK(time_of(3, false) == 3);
  simulate_on(1, {"--execution", "partial"}, [](engine& run) {
    run.record();
    run.estimate("one", 0.5);
    threads<> const master{"master", 1};
    run(fan(master, master, 4, 100, 7), {});
    CHECK(run.summary().time_s == 2);
  });
}

TEST_CASE("the first kernel of a thread may take longer than the others") {
  ovlp::testing::temporary_folder const folder;
  auto options = partial(folder.file("p.json", platform()));
  options.insert(options.end(), {"--durations", folder.file("d.json", R"({"reference_core": "any", "kernels": {
    "one": [{"sizes": [2], "mean_s": 20, "first_s": 50}]}})")});
  simulate_on(1, options, [](engine& run) {
    run.record();
    threads<> const master{"master", 1}, workers{"workers", 2};
    run(fan(master, workers, 6, 100, 2), {});  // on one core
    CHECK(run.summary().work_s == 2 * 50 + 4 * 20);
  });
}

TEST_CASE("an estimate that is no time is an error that names kernel and sizes") {
  for (double const wrong : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    simulate_on(1, {"--execution", "partial"}, [wrong](engine& run) {
      run.estimate("one", wrong);
      threads<> const master{"master", 1};
      auto const error = thrown_by<ovlp::operation_error>([&] { run(fan(master, master, 1, 100, 7), {}); });
      CHECK(error.operation == "work");
      CHECK(error.text.starts_with("the estimate for kernel 'one' of sizes [7]: expected seconds of at least 0, got"));
    });
  }
}

TEST_CASE("a sample that tells nothing of its error is refused") {
  for (std::string const sample : {"1", "0", "1.5", "-2", "2e9", "0%", "100%", "many", ""}) {
    CAPTURE(sample);
    auto const error = thrown_by<ovlp::config_error>([&] {
      simulate_on(1, {"--execution", "sampled", "--sample", sample}, [](engine&) {});
    });
    CHECK(std::string(error.what()) ==
          "--sample: expected a number of times from 2 on, such as 5, or an error below 100%, such as 2%, got '" +
              sample + "'");
  }
  simulate_on(1, {"--execution", "sampled", "--sample", "0.5%"}, [](engine&) {});
}

TEST_CASE("kernels are executed as the program says of each, the others as the command line says") {
  using mode = ovlp::execution_mode;
  struct Runs {
    int direct = 0, sampled = 0, partial = 0, other = 0;
  };
  for (std::string const overall : {"direct", "partial", "sampled"}) {
    CAPTURE(overall);
    simulate_on(1, {"--execution", overall, "--sample", "2"}, [&](engine& run) {
      CHECK(run.computes() == (overall == "direct"));
      run.execute("direct", mode::direct);
      run.execute("sampled", mode::sampled);
      CHECK_FALSE(run.computes());
      run.execute("partial", mode::partial);
      run.estimate("partial", 1.0);
      run.estimate("other", 0.25);
      run.record();
      Runs runs;
      threads<> const master{"master", 1};
      graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [&runs](here<>& here, Start) {
        for (int i = 0; i < 5; ++i) {
          here.kernel("direct", {i}, [&] { ++runs.direct; });
          here.kernel("sampled", {1}, [&] { ++runs.sampled; });
          here.kernel("partial", {i}, [&] { ++runs.partial; });
          here.kernel("other", {1}, [&] { ++runs.other; });
        }
        return Done{5};
      });
      run(g, {});
      CHECK(runs.direct == 5);
      CHECK(runs.sampled == 1 + 2);  // the thread's first one, and of the others as many as --sample says
      CHECK(runs.partial == 0);
      CHECK(runs.other == (overall == "direct" ? 5 : overall == "sampled" ? 3 : 0));
      double const charged_s = overall == "partial" ? 5 + 5 * 0.25 : 5;
      double const work_s = run.summary().work_s;
      CHECK(work_s >= charged_s);
      CHECK(work_s < charged_s + 1);
    });
  }
}

TEST_CASE("nodes on which kernels lasted longer are charged more, in a run of as many nodes") {
  ovlp::testing::temporary_folder const folder;
  std::string const durations = folder.file("d.json", R"({"reference_core": "any",
    "nodes": [{"node": 0, "relative": 0.5}, {"node": 1, "relative": 2}],
    "kernels": {"one": [{"sizes": [7], "mean_s": 3}]}})");
  for (std::size_t const nodes : {std::size_t{2}, std::size_t{3}}) {
    CAPTURE(nodes);
    auto options = partial(folder.file("p.json", platform()));
    options.insert(options.end(), {"--durations", durations});
    simulate_on(nodes, options, [&](engine& run) {
      run.record();
      threads<> const master{"master", "node0"}, workers{"workers", "node0 node1"};
      run(fan(master, workers, 2, 100, 7), {});
      CHECK(run.summary().work_s == doctest::Approx(nodes == 2 ? 3 * 0.5 + 3 * 2 : 3 + 3));
    });
  }
  auto const wrong = thrown_by<ovlp::config_error>([&] {
    simulate_on(1, {"--execution", "partial", "--durations", folder.file("w.json", R"({"reference_core": "any",
      "nodes": [{"node": 1, "relative": 0.5}], "kernels": {}})")},
                [](engine&) {});
  });
  CHECK(ovlp::testing::contains(wrong.what(), "nodes[0].node: expected 0, got 1"));
}

TEST_CASE("kernels that were measured alone and beside others take as long as then, and between in proportion") {
  ovlp::testing::temporary_folder const folder;
  // Four at once take twice as long, so each demands half of what the cores share.
  std::string const alone = folder.file("alone.json", R"({"reference_core": "any", "execution_threads": 1,
    "kernels": {"one": [{"sizes": [7], "mean_s": 3}], "free": [{"sizes": [], "mean_s": 3}]}})");
  std::string const beside = folder.file("beside.json", R"({"reference_core": "any", "execution_threads": 4,
    "kernels": {"one": [{"sizes": [7], "mean_s": 6}], "free": [{"sizes": [], "mean_s": 3.01}]}})");
  std::string const four_cores = folder.file("p.json", R"({"name": "test", "reference_core": "any",
    "nodes": [{"count": 1, "cores": 4, "speed": 1}], "network": {"model": "linear", "latency_s": 0, "bandwidth_Bps": 1}})");
  std::vector<std::string> expected_warnings;
  auto const time_s = [&](std::string const& kernel, std::string const& threads_at_once,
                          std::vector<std::string> files) {
    auto options = partial(four_cores);
    for (std::string const& file : files) options.insert(options.end(), {"--durations", file});
    options.insert(options.end(), {"--execution-threads", threads_at_once});
    double found_s = 0;
    simulate_on(1, options, [&](engine& run) {
      run.record();
      threads<> const master{"master", 1}, workers{"workers", 12};
      graph<Start, Done> const g =
          ovlp::testing::deal(master, 12, 100) >>
          ovlp::leaf("work", workers.in_turn(),
                     [&](here<>& here, Task task) {
                       kernel == "one" ? here.kernel("one", {7}, [] {}) : here.kernel("free", {}, [] {});
                       return Done{task.number};
                     }) >>
          ovlp::testing::count(master);
      run(g, {});
      auto const figures = run.summary();
      CHECK(figures.simulation->warnings == expected_warnings);
      found_s = figures.time_s;
    });
    return found_s;
  };
  CHECK(time_s("one", "1", {alone, beside}) == doctest::Approx(12 * 3));
  CHECK(time_s("one", "2", {alone, beside}) == doctest::Approx(6 * 3));
  CHECK(time_s("one", "3", {alone, beside}) == doctest::Approx(4 * 3 * 1.5));
  CHECK(time_s("one", "4", {alone, beside}) == doctest::Approx(3 * 6));
  CHECK(time_s("free", "4", {alone, beside}) == doctest::Approx(3 * 3.01));
  CHECK(time_s("one", "4", {beside, alone}) == doctest::Approx(3 * 6));
  CHECK(time_s("one", "2", {beside, alone, alone}) == doctest::Approx(6 * 3));
  CHECK(time_s("one", "4", {beside}) == doctest::Approx(3 * 6));
  CHECK(time_s("one", "4", {alone}) == doctest::Approx(3 * 3));

  // What differs by no more than it scatters demands nothing, and more cores than were measured are warned of.
  std::string const noisy = folder.file("noisy.json", R"({"reference_core": "any", "execution_threads": 2,
    "kernels": {"one": [{"sizes": [7], "mean_s": 3.3, "standard_deviation_s": 1, "count": 25}]}})");
  CHECK(time_s("one", "4", {alone, noisy}) == doctest::Approx(3 * 3));
  expected_warnings = {
      "how kernels slow each other down was measured with 2 execution threads, and nodes compute with "
      "up to 4: expected a recording with as many (--execution-threads)"};
  std::string const two = folder.file("two.json", R"({"reference_core": "any", "execution_threads": 2,
    "kernels": {"one": [{"sizes": [7], "mean_s": 6}]}})");
  CHECK(time_s("one", "4", {alone, two}) == doctest::Approx(3 * 3 * 4));
}

TEST_CASE("first kernels of threads are sampled apart, and what was charged by a mean is not recorded as measured") {
  ovlp::testing::temporary_folder const folder;
  std::string const durations = folder.path() / "durations.json";
  int runs = 0;
  simulate_on(1, {"--execution", "sampled", "--sample", "2", "--record-durations", durations}, [&](engine& run) {
    threads<> const master{"master", 1}, workers{"workers", 5};
    graph<Start, Done> const g = ovlp::testing::deal(master, 20, 100) >>
                                 ovlp::leaf("work", workers.in_turn(),
                                            [&runs](here<>& here, Task task) {
                                              here.kernel("work", {7}, [&] { ++runs; });
                                              return Done{task.number};
                                            }) >>
                                 ovlp::testing::count(master);
    CHECK(run(g, {}).tasks == 20);
  });
  CHECK(runs == 2 + 2);  // of 5 first ones, and of 15 others
  auto const recorded = nlohmann::json::parse(ovlp::testing::contents(durations)).at("kernels").at("work").at(0);
  CHECK(recorded.at("count") == 2);
  CHECK(recorded.contains("first_s"));
}

TEST_CASE("a kernel that always runs runs in each mode, and is charged as others are") {
  for (std::string const overall : {"direct", "partial", "sampled"}) {
    CAPTURE(overall);
    simulate_on(1, {"--execution", overall, "--sample", "2"}, [&](engine& run) {
      run.estimate("decide", 1.0);
      run.execute("always charged", ovlp::execution_mode::partial);
      run.estimate("always charged", 2.0);
      run.record();
      int found = 0, charged = 0;
      threads<> const master{"master", 1};
      graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [&](here<>& here, Start) {
        for (int i = 0; i < 5; ++i) {
          here.kernel(
              "decide", {1}, [&] { ++found; }, ovlp::always_runs);
          here.kernel(
              "always charged", {1}, [&] { ++charged; }, ovlp::always_runs);
        }
        return Done{found};
      });
      CHECK(run(g, {}).tasks == 5);
      CHECK(charged == 5);
      double const charged_s = 5 * 2.0 + (overall == "partial" ? 5 * 1.0 : 0);
      CHECK(run.summary().work_s >= charged_s);
      CHECK(run.summary().work_s < charged_s + 1);
      CHECK(run.summary().time_s >= charged_s);
      CHECK(run.summary().time_s < charged_s + 1);
    });
  }
}

TEST_CASE("in a simulation the run's clock stands still in a step, and shows what has been charged after it") {
  ovlp::testing::temporary_folder const folder;
  simulate_on(2, partial(folder.file("p.json", platform())), [](engine& run) {
    CHECK(run.now().count() == 0);
    run.estimate("work", 3.0);
    threads<> const master{"master", "node0"}, worker{"worker", "node1"};
    std::vector<double> seen;
    graph<Start, Done> const g = ovlp::split("begin", master.at(0),
                                             [&](here<>& here, Start, out<Done>& to) {
                                               seen.push_back(here.now().count());
                                               here.kernel("work", {1}, [] {});
                                               seen.push_back(here.now().count());
                                               to.post({0});
                                               seen.push_back(here.now().count());
                                             }) >>
                                 ovlp::leaf("work", worker.at(0),
                                            [&](here<>& here, Done d) {
                                              seen.push_back(here.now().count());
                                              here.kernel("work", {1}, [] {});
                                              return d;
                                            }) >>
                                 ovlp::merge("end", master.at(0), [&](here<>& here, in<Done>& all) {
                                   all.drain();
                                   seen.push_back(here.now().count());
                                   return Done{1};
                                 });
    run(g, {});
    REQUIRE(seen.size() == 5);
    CHECK(seen[0] == 0);
    CHECK(seen[1] == 0);
    CHECK(seen[2] == doctest::Approx(3).epsilon(0.01));
    CHECK(seen[3] > 3);
    CHECK(seen[4] > 6);
    CHECK(run.now().count() >= seen[4]);
  });
}

TEST_CASE("under no-alloc elements are touched by kernels only") {
  ovlp::testing::temporary_folder const folder;
  simulate_on(1, partial(folder.file("p.json", platform())), [](engine& run) {
    threads<> const master{"master", 1};
    graph<Start, Done> const g = ovlp::leaf("touch", master.at(0), [](Start) {
      ovlp::buffer<double> numbers(1000);
      return Done{static_cast<int>(numbers.mutate()[3])};
    });
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {}); });
    CHECK(error.operation == "touch");
    CHECK(ovlp::testing::contains(error.text, "8000 bytes"));
    CHECK(ovlp::testing::contains(error.text, "into the body of here.kernel, or guard it with run.computes()"));
  });
}

TEST_CASE("equal runs give equal figures, and the order of simultaneous events changes no result") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.file("p.json", platform());
  std::string first;
  for (std::string const seed : {"", "", "1", "2"}) {
    auto options = partial(file);
    if (!seed.empty()) options.insert(options.end(), {"--shuffle", seed});
    simulate_on(4, options, [&](engine& run) {
      run.record();
      threads<> const master{"master", "node0"}, workers{"workers", 8};
      CHECK(run(fan(master, workers, 100, 1000, 1), {}).tasks == 100);
      auto figures = run.summary();
      figures.host = {};
      if (first.empty()) first = figures.json();
      if (seed.empty()) CHECK(figures.json() == first);
    });
  }
}

TEST_CASE("four processes on two cores take twice as long as on four, and hold half a core each") {
  ovlp::testing::temporary_folder const folder;
  auto const run_on = [&](int cores) {
    std::string const c = std::to_string(cores);
    std::string const file = folder.file("p.json", R"({"name": "host", "reference_core": "any", "nodes": [{"count": 1,
      "cores": )" + c + R"(, "speed": 1}], "host": {"cores": )" +
                                                       c + R"(}, "network": {"model": "star",
      "latency_s": 0, "bandwidth_Bps": 1e15}, "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}}})");
    std::pair<double, double> found;
    simulate_on(4, partial(file), [&](engine& run) {
      run.record();
      threads<> const master{"master", "node0"}, workers{"workers", "node0 node1 node2 node3"};
      run(fan(master, workers, 4, 1'000'000, 1), {});
      found = {run.summary().time_s, run.summary().efficiency};
    });
    return found;
  };
  auto const [two_s, efficiency_of_two] = run_on(2);
  CHECK(two_s == doctest::Approx(2));
  CHECK(efficiency_of_two == doctest::Approx(1));
  CHECK(run_on(4).first == doctest::Approx(1));
  CHECK(run_on(1).first == doctest::Approx(4));
}

TEST_CASE("in direct execution a step takes at least what the platform says of the runtime") {
  ovlp::testing::temporary_folder const folder;
  simulate_on(2, {"--platform", folder.file("p.json", platform(R"(, "runtime": {"per_step_s": 100})"))},
              [](engine& run) {
                run.record();
                threads<> const master{"master", "node0"}, workers{"workers", "node1"};
                run(fan(master, workers, 3, 1'000'000, 1), {});
                auto const figures = run.summary();
                CHECK(figures.overhead_s == doctest::Approx(100 * static_cast<double>(figures.atomic_steps)));
              });
}

TEST_CASE("without --platform a run stands on what the environment says") {
  ovlp::testing::temporary_folder const folder;
  using machine = ovlp::machine::platform;
  std::string const pinned = machine::default_name();
  CHECK(pinned == PLATFORMS "/local.json");  // of all tests
  struct restored {
    std::string value;
    ~restored() { setenv("OVLP_PLATFORM", value.c_str(), 1); }
  } const at_end{pinned};
  setenv("OVLP_PLATFORM", folder.file("p.json", platform()).c_str(), 1);
  simulate_on(1, {"--execution", "partial"}, [](engine& run) {
    run.record();
    threads<> const master{"master", 1};
    run(fan(master, master, 1, 1'000'000, 1), {});
    CHECK(run.summary().simulation->platform == "test");
  });
  setenv("OVLP_PLATFORM", "", 1);
  CHECK(machine::default_name() == "local");
}

TEST_CASE("platforms that come with ovlp charge what the runtime takes, but the paper's") {
  using machine = ovlp::machine::platform;
  for (char const* name : {"gigabit", "10-gigabit", "fat-tree-1024", "dragonfly-1024", "local"}) {
    CAPTURE(name);
    std::string const text = ovlp::base::read_file(std::string(SHIPPED "/") + name + ".json");
    for (std::string const cost : {"\"per_step_s\": ", "\"per_message_s\": "}) {
      REQUIRE(ovlp::testing::contains(text, cost));
      double const cost_s = std::stod(text.substr(text.find(cost) + cost.size()));
      CHECK(cost_s > 1e-7);
      CHECK(cost_s < 1e-5);
    }
  }
  auto const paper = machine::find("fast-ethernet-ultrasparc");
  CHECK(paper.runtime.per_step_s == 0);
  CHECK(paper.runtime.per_object_s == 0);
  CHECK(paper.communication.send.per_message_s == 0);
}

TEST_CASE("platforms are found by name, or are files") {
  using machine = ovlp::machine::platform;
  for (std::string const name : {"fast-ethernet-ultrasparc", "gigabit", "10-gigabit"}) {
    CAPTURE(name);
    CHECK(machine::find(name).name == name);
  }
  CHECK(machine::find("fast-ethernet-ultrasparc").kernels.contains("lu.gemm"));
  ovlp::testing::temporary_folder const folder;
  CHECK(machine::find(folder.file("p.json", platform())).name == "test");
  auto const unknown = thrown_by<ovlp::config_error>([] { machine::find("gigabite"); });
  CHECK(ovlp::testing::contains(unknown.what(),
                                "platform 'gigabite': expected 10-gigabit, dragonfly-1024, fast-ethernet-ultrasparc"));
}

TEST_CASE("what is wrong with a platform file is said by file and key") {
  auto const fault = [](std::string const& text) {
    try {
      ovlp::machine::platform::parse(text, "p.json");
    } catch (ovlp::config_error const& wrong) {
      return std::string(wrong.what());
    }
    return std::string("none");
  };
  std::string const nodes = R"("nodes": [{"count": 1, "cores": 1, "speed": 1}])";
  std::string const network = R"("network": {"model": "star", "latency_s": 0, "bandwidth_Bps": 1e6})";
  std::string const names = R"({"name": "n", "reference_core": "c", )";
  CHECK(fault(names + nodes + ", " + network + "}") == "none");
  CHECK(fault(names + nodes + "}") == "p.json: network: missing");
  for (std::string const no_object : {"[]", "3", "null", "\"text\""}) {
    CAPTURE(no_object);
    CHECK(fault(no_object).starts_with("p.json: expected an object"));
  }
  CHECK(fault(names + nodes + ", " + network + ", \"nods\": 1}").starts_with("p.json: nods: unknown key; expected"));
  CHECK(fault(names + nodes + R"(, "network": {"model": "star", "latency_s": 0, "bandwidth_Bps": 0}})") ==
        "p.json: network.bandwidth_Bps: expected a number above 0, got 0");
  CHECK(fault(names + nodes + R"(, "network": {"model": "star", "latency_s": -1, "bandwidth_Bps": 1}})") ==
        "p.json: network.latency_s: expected a number of at least 0, got -1");
  CHECK(fault(names + R"("nodes": [{"count": 0, "cores": 1, "speed": 1}], )" + network + "}") ==
        "p.json: nodes[0].count: expected a whole number from 1 to 1000000, got 0");
  CHECK(fault(names + nodes + ", " + network + R"(, "comm_cpu": {"incoming": [0, 0.6], "outgoing": [0, 0.4]}})")
            .starts_with(
                "p.json: comm_cpu: expected largest entries of incoming and outgoing that add up to less than 1"));
  CHECK(fault(names + nodes + ", " + network + R"(, "comm_cpu": {"incoming": [0, 2, 0], "outgoing": [0]}})")
            .starts_with("p.json: comm_cpu: expected largest entries"));
  CHECK(fault(names + nodes + R"(, "network": {"model": "star", "latency_s": 1e308, "bandwidth_Bps": 1}})") ==
        "p.json: network.latency_s: expected a number up to 1e15, got 1e+308");
  CHECK(fault(names + nodes + R"(, "network": {"model": "ring", "latency_s": 0, "bandwidth_Bps": 1}})") ==
        "p.json: network.model: expected \"star\", \"max-min\", \"bus\", \"linear\" or \"simgrid\", got \"ring\"");
  CHECK(
      fault(names + nodes + R"(, "network": {"model": "star", "latency_s": 0, "bandwidth_Bps": 1, "burst_bytes": 1}})")
          .starts_with("p.json: network.burst_bytes: unknown key; expected"));
  CHECK(fault(names + R"("nodes": [{"count": 1, "cores": 1, "speed": 1, "quota": {"share": 1.5, "period_s": 1}}], )" +
              network + "}") == "p.json: nodes[0].quota.share: expected at most 1, got 1.5");
  CHECK(fault(names + nodes + ", " + network + R"(, "transport": {"model": "pigeon"}})") ==
        R"(p.json: transport.model: expected "direct" or "stream", got "pigeon")");
  CHECK(fault(names + nodes + ", " + network + R"(, "transport": {"model": "stream", "buffer_bytes": 0}})") ==
        "p.json: transport.buffer_bytes: expected a number above 0, got 0");
  CHECK(fault(names + nodes + ", " + network + R"(, "effects": [{"name": "fatigue"}]})") ==
        R"(p.json: effects[0].name: expected "cache_cooling" or "wakeup", got "fatigue")");
  CHECK(fault(names + nodes + ", " + network + R"(, "effects": [{"name": "wakeup"}]})") ==
        "p.json: effects[0].send_s: missing");
  CHECK(fault(names + nodes + ", " + network +
              R"(, "effects": [{"name": "wakeup", "send_s": 1}, {"name": "wakeup", "send_s": 1}]})") ==
        R"(p.json: effects[1].name: expected one that is not listed before, got "wakeup")");
  CHECK(fault("{").starts_with("p.json: expected JSON:"));
  CHECK(fault(names + nodes + ", " + network + R"(, "name": "m"})") == "p.json: name: expected once, but given again");
  CHECK(
      fault(names + nodes + R"(, "network": {"model": "star", "latency_s": 0, "latency_s": 1, "bandwidth_Bps": 1}})") ==
      "p.json: network.latency_s: expected once, but given again");
  // What would never end.
  CHECK(fault(names + nodes + ", " + network + R"(, "host": {"cores": 2, "time_slice_s": 1e-300}})") ==
        "p.json: host.time_slice_s: expected 0, or a number from 1e-06, got 1e-300");
  CHECK(fault(names +
              R"("nodes": [{"count": 1, "cores": 1, "speed": 1, "quota": {"share": 0.5, "period_s": 1e-9}}], )" +
              network + "}") == "p.json: nodes[0].quota.period_s: expected a number of at least 1e-06, got 1e-09");
}

TEST_CASE("models of a platform are for the kernels of one program, and not for another's that are called alike") {
  simulate_on(1, {"--platform", PLATFORMS "/gigabit.json", "--execution", "partial"}, [](engine& run) {
    threads<> const master{"master", 1};
    graph<Start, Done> const g = ovlp::leaf("multiply", master.at(0), [](here<>& here, Start) {
      here.kernel("gemm", {100, 100, 100}, [] {});
      return Done{1};
    });
    auto const error = thrown_by<ovlp::operation_error>([&] { run(g, {}); });
    CHECK(ovlp::testing::contains(error.text, "no estimate for kernel 'gemm' of sizes [100, 100, 100]"));
  });
}

TEST_CASE("the summary says of each kernel where its durations came from") {
  ovlp::testing::temporary_folder const folder;
  auto options = partial(folder.file("p.json", platform()));
  options.insert(options.end(), {"--durations", folder.file("d.json", R"({"reference_core": "any", "kernels": {
    "told": [{"sizes": [10], "mean_s": 1}, {"sizes": [1000], "mean_s": 100}]}})")});
  simulate_on(1, options, [&](engine& run) {
    run.record();
    run.estimate("told", 7.0);
    run.estimate("guessed", 0.5);
    threads<> const master{"master", 1};
    graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [](here<>& here, Start) {
      for (int size : {10, 10, 100, 5000}) here.kernel("told", {size}, [] {});
      here.kernel("guessed", {}, [] {});
      here.kernel("one", {2}, [] {});
      return Done{5};
    });
    for (int call = 0; call < 2; ++call) {  // of each call the summary tells its own kernels
      run(g, {});
      auto const figures = run.summary();
      CHECK(figures.work_s == doctest::Approx(1 + 1 + 10 + 7 + 0.5 + 2));
      REQUIRE(figures.simulation);
      CHECK(figures.simulation->estimates == std::map<std::string, std::map<std::string, std::uint64_t>>{
                                                 {"guessed", {{"program", 1}}},
                                                 {"one", {{"platform", 1}}},
                                                 {"told", {{"durations", 2}, {"interpolated", 1}, {"program", 1}}}});
      CHECK(figures.estimates_line() ==
            "durations: told; interpolated: told; platform test: one; program: guessed, told");
      CHECK(figures.simulation->warnings.empty());
    }
  });
}

TEST_CASE("a predicted time has an interval where predictions like it were measured, and else says why it has none") {
  ovlp::testing::temporary_folder const folder;
  auto const machine = [&](std::string const& name, std::string const& of_nodes, std::string const& more) {
    return folder.file(name, R"({"name": "test", "reference_core": "any", "nodes": [{"count": 4, "speed": 1, )" +
                                 of_nodes + R"(}], "network": {"model": "linear", "latency_s": 0, "bandwidth_Bps": 1},
      "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}})" +
                                 more + "}");
  };
  std::string const calibrated = machine("c.json", R"("cores": 1, "speed_deviation": 0.02)", R"(, "calibration": {})");
  std::string const durations = folder.file("d.json", R"({"reference_core": "any", "kernels": {
    "one": [{"sizes": [10], "mean_s": 1}, {"sizes": [1000], "mean_s": 100}],
    "fitted": {"coefficient_s": 1, "exponents": [1]}}})");
  std::vector<std::string> const measured{"--durations", durations};
  std::string kernel = "one", execution = "partial";
  auto const summary_of = [&](std::string const& on, int size, std::vector<std::string> const& more,
                              std::size_t nodes = 4) {
    std::vector<std::string> options{"--platform", on, "--execution", execution};
    options.insert(options.end(), more.begin(), more.end());
    ovlp::summary found;
    simulate_on(nodes, options, [&](engine& run) {
      run.record();
      threads<> const master{"master", 1};
      graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [&](here<>& here, Start) {
        if (!kernel.empty()) here.kernel(kernel, {size}, [] {});
        return Done{1};
      });
      run(g, {});
      found = run.summary();
    });
    return found;
  };
  auto const known = ovlp::analysis::known_error_of(ovlp::analysis::predicted::time);
  REQUIRE(known);
  auto const [low, high] = known->around(1, ovlp::analysis::spread_of_predictions(0.02));
  CHECK(low > 0.5);
  CHECK(low < 1);
  CHECK(high > 1);
  auto const backed = summary_of(calibrated, 10, measured);
  REQUIRE(backed.simulation->interval);
  auto const json = nlohmann::json::parse(backed.json());
  CHECK(json.at("time_low_s").get<double>() == doctest::Approx(low));
  CHECK(json.at("time_high_s").get<double>() == doctest::Approx(high));
  CHECK(json.at("prediction_spread").get<double>() == doctest::Approx(std::hypot(0.03, 0.02)));
  CHECK(json.at("interval_from") == known->text(ovlp::analysis::predicted::time, 0.02));
  CHECK(json.at("interval_of") == "time");
  CHECK(ovlp::testing::contains(backed.interval_line(), " s, which holds for 9 of 10 of "));
  auto const beyond = ovlp::analysis::known_error_of(ovlp::analysis::predicted::time_beyond_calibration);
  auto const more_nodes = summary_of(calibrated, 10, measured, 5);
  REQUIRE(beyond);
  CHECK(more_nodes.simulation->interval->high_s ==
        doctest::Approx(beyond->around(1, ovlp::analysis::spread_of_predictions(0.02)).high));
  CHECK(ovlp::testing::contains(more_nodes.interval_line(), " of runs on more nodes than were calibrated ("));

  auto const why_not = [&](ovlp::summary const& of) {
    CHECK_FALSE(of.simulation->interval);
    CHECK(nlohmann::json::parse(of.json()).at("time_low_s").is_null());
    CHECK(of.interval_line() == "not backed by measurements: " + of.simulation->interval_from);
    return of.simulation->interval_from;
  };
  CHECK(why_not(summary_of(machine("p.json", R"("cores": 1)", ""), 10, measured)) ==
        "platform 'test' was not calibrated by ovlp calibrate");
  CHECK(why_not(summary_of(machine("q.json", R"("cores": 1)", R"(, "calibration": {})"), 10, measured)) ==
        "platform 'test' does not say how much nodes differed in calibration");
  CHECK(why_not(summary_of(machine("f.json", R"("cores": 4, "speed_deviation": 0.02)", R"(, "calibration": {})"), 10,
                           measured)) == "no nodes of several cores were measured");
  CHECK(why_not(summary_of(machine("s.json",
                                   R"("cores": 1, "speed_deviation": 0.02,
                       "slowdowns": [{"interval_s": 1, "duration_s": 1, "factor": 2}])",
                                   R"(, "calibration": {})"),
                           10, measured)) == "no nodes with random slowdowns were measured");
  CHECK(why_not(summary_of(calibrated, 10, measured, 13)) ==
        "no runs on more than three times as many nodes as were calibrated were measured");
  // Four nodes, then one that is not as the others, then another one.
  auto const with_another = [&](std::string const& name, std::string const& how, std::size_t nodes) {
    std::string const usual = R"("cores": 1, "speed_deviation": 0.02)";
    std::string const one = R"("count": 1, "speed": 1, )" + usual;
    return summary_of(machine(name, usual + "}, {" + one + ", " + how + "}, {" + one, R"(, "calibration": {})"), 10,
                      measured, nodes);
  };
  std::string const slow = R"("speed_over_time": [[0.5, 0.5]])";
  CHECK(with_another("t.json", slow, 6).simulation->interval_of == "time_of_unequal_nodes");
  CHECK(with_another("n.json", R"("speed_over_time": [[1e6, 0.5]])", 6).simulation->interval_of == "time");  // never
  CHECK(with_another("t.json", slow, 4).simulation->interval_of == "time");  // it is not among them
  CHECK(why_not(with_another("t.json", slow, 7)) ==
        "no runs with a slow node on more nodes than were calibrated were measured");
  CHECK(why_not(with_another("u.json", R"("speed_over_time": [[0, 2]])", 5)) ==
        "no nodes that are faster than usual, or below 0.3 of it, were measured");
  CHECK(why_not(with_another("v.json", R"("link": {"bandwidth_Bps": 2})", 5)) ==
        "no nodes of several kinds were measured");
  CHECK(why_not(with_another("x.json", R"("link": {"bandwidth_Bps": 2}, "speed_over_time": [[0, 1]])", 5)) ==
        "no nodes of several kinds were measured");
  CHECK(
      why_not(summary_of(machine("w.json", R"("cores": 1, "speed_deviation": 0.02, )" + slow, R"(, "calibration": {})"),
                         10, measured)) == "no runs with several slow nodes were measured");
  std::string local =
      ovlp::testing::contents(machine("l.json", R"("cores": 4)", R"(, "calibration": {}, "host": {"cores": 4})"));
  local.replace(local.find("\"test\""), 6, "\"local\"");
  std::string const here = folder.file("local.json", local);
  ovlp::summary const on_this_machine = summary_of(here, 10, measured);
  CHECK(on_this_machine.simulation->interval_of == "time_on_this_machine");
  CHECK(on_this_machine.simulation->warnings.empty());  // its file tells of one node, and it was measured between two
  CHECK(why_not(summary_of(here, 10, measured, 5)) == "no more processes than cores of one machine were measured");
  std::string simulated = ovlp::testing::contents(durations);
  simulated.insert(1, "\"simulated\": true, ");
  CHECK(why_not(summary_of(calibrated, 10, {"--durations", folder.file("simulated.json", simulated)})) ==
        "--durations are those of a simulation, expected measured ones");
  CHECK(why_not(summary_of(calibrated, 10, {})) == "kernel 'one' took its duration from: platform; expected durations");
  CHECK(why_not(summary_of(calibrated, 100, measured)) ==
        "kernel 'one' took its duration from: interpolated; expected durations");
  CHECK(why_not(summary_of(calibrated, 10, {"--durations", durations, "--vary", "1"})) ==
        "--vary predicts one of many possible runs");
  for (char const* measures : {"sampled", "direct"}) {
    execution = measures;
    CHECK(why_not(summary_of(calibrated, 10, {})) ==
          "kernel 'one' took its duration from: measured; expected durations");
  }
  execution = "partial";
  kernel = "fitted";
  CHECK(why_not(summary_of(calibrated, 10, measured)) ==
        "a kernel was charged by a model, expected measured durations of its sizes");
  kernel = "";
  CHECK(why_not(summary_of(calibrated, 10, measured)) == "no kernel was charged by --durations");
}

TEST_CASE("durations of sizes between measured ones are interpolated, and of others refused") {
  ovlp::testing::temporary_folder const folder;
  // 1e-6 a^2 b, at corners that are no grid; a kernel whose second size was always 4; and one whose sizes were so
  // nearly on a line that what is beside it would follow from their noise.
  std::string const file = folder.file("d.json", R"({"reference_core": "this machine", "kernels": {
    "power": [{"sizes": [10, 20], "mean_s": 2e-3}, {"sizes": [100, 10], "mean_s": 0.1},
              {"sizes": [200, 300], "mean_s": 12}, {"sizes": [20, 500], "mean_s": 0.2}, {"sizes": [7, 0], "mean_s": 0}],
    "merge": [{"sizes": [1024, 4], "mean_s": 1}, {"sizes": [65536, 4], "mean_s": 64}],
    "cube": [{"sizes": [128, 128, 128], "mean_s": 1}, {"sizes": [256, 256, 256], "mean_s": 8}],
    "near": [{"sizes": [100, 100], "mean_s": 1}, {"sizes": [200, 201], "mean_s": 2},
             {"sizes": [400, 399], "mean_s": 4}]}})");
  auto const work_of = [&](std::string const& kernel, ovlp::kernel_sizes const& sizes) {
    double work_s = 0;
    simulate_on(1, {"--execution", "partial", "--durations", file}, [&](engine& run) {
      run.record();
      threads<> const master{"master", 1};
      graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [&](here<>& here, Start) {
        here.kernel(kernel, sizes, [] {});
        return Done{1};
      });
      run(g, {});
      work_s = run.summary().work_s;
    });
    return work_s;
  };
  CHECK(work_of("power", {50, 60}) == doctest::Approx(0.15).epsilon(1e-9));
  CHECK(work_of("power", {150, 150}) == doctest::Approx(3.375).epsilon(1e-9));
  CHECK(work_of("power", {200, 300}) == 12);
  CHECK(work_of("power", {7, 0}) == 0);
  CHECK(work_of("merge", {16384, 4}) == doctest::Approx(16).epsilon(1e-9));
  CHECK(work_of("cube", {192, 192, 192}) == doctest::Approx(3.375).epsilon(1e-9));
  for (auto const& tried : std::vector<std::pair<std::string, ovlp::kernel_sizes>>{{"merge", {1048576, 4}},
                                                                                   {"merge", {16384, 5}},
                                                                                   {"power", {9, 20}},
                                                                                   {"cube", {192, 192, 193}},
                                                                                   {"near", {300, 150}}}) {
    std::string const kernel = tried.first;
    CAPTURE(kernel);
    auto const error = thrown_by<ovlp::operation_error>([&] { work_of(kernel, tried.second); });
    CHECK(ovlp::testing::contains(error.text, "no estimate for kernel '" + kernel + "' of sizes ["));
    CHECK(ovlp::testing::contains(error.text, ": --durations has it in "));
    CHECK(ovlp::testing::contains(error.text, " sizes, but these are not between them; expected a recording"));
  }
}

TEST_CASE("an option that commands of ovlp give to programs is none of the program's own, in either backend") {
  std::string program = "test", value;
  char* argv[] = {program.data()};
  for (std::string const name : {"--nodes", "--platform", "--record"}) {
    for (bool const real : {false, true}) {
      ovlp::options own{"test", ""};
      own.add(name, value, "");
      CHECK(thrown_by<ovlp::config_error>([&] { own.add(name, value, ""); }).what() == name + " was added before");
      auto const error = thrown_by<ovlp::config_error>([&] {
        if (real) {
          ovlp::real::engine{1, argv, own};
        } else {
          ovlp::sim::engine{1, argv, own};
        }
      });
      CHECK(error.what() == name + " is an option of ovlp: expected another name for the program's own");
    }
  }
}

TEST_CASE("other options of ovlp give way to those of the program, and get names of their own") {
  for (bool const real : {false, true}) {
    CAPTURE(real);
    std::vector<std::string> words{"test", "--window", "wide", "--ovlp-window", "0.5", "--sample", "of wood"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    std::string window, sample;
    ovlp::options own{"test", ""};
    own.add("--window", window, "");
    own.add("--sample", sample, "");
    int const count = static_cast<int>(argv.size());
    if (real) {
      ovlp::real::engine{count, argv.data(), own};
    } else {
      ovlp::sim::engine{count, argv.data(), own};
    }
    CHECK(window == "wide");
    CHECK(sample == "of wood");
  }
}

TEST_CASE("a summary may be asked for as often as one likes after a call") {
  ovlp::testing::run_on(2, [](engine& run) {
    run.record();
    threads<> const master{"master", 1}, workers{"workers", 2};
    auto const g = fan(master, workers, 3, 100, 1);
    run(g, {});
    std::string const first = run.summary().json();
    CHECK(run.summary().json() == first);
    run(g, {});
    std::string const second = run.summary().json();
    CHECK(second != first);  // another call, at another time
    CHECK(run.summary().json() == second);
  });
}

TEST_CASE("a run of more nodes than were calibrated says so") {
  auto const warnings = [](std::size_t nodes, std::string const& on) {
    std::vector<std::string> found;
    simulate(nodes, on, [&](engine& run) {
      threads<> const master{"master", 1};
      graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [](Start) { return Done{5}; });
      run(g, {});
      found = run.summary().simulation->warnings;
    });
    return found;
  };
  std::string const calibrated = platform(R"(, "calibration": {})");
  CHECK(warnings(4, calibrated).empty());
  CHECK(warnings(6, calibrated) ==
        std::vector<std::string>{"platform 'test' was calibrated on 4 nodes, and the run has 6: what only shows when "
                                 "more nodes communicate at once was not measured"});
  CHECK(warnings(6, platform()).empty());
}

TEST_CASE("why a prediction may be weak, and what had no effect, stands in the summary") {
  ovlp::testing::temporary_folder const folder;
  auto const warnings = [&](std::vector<std::string> options, bool uneven) {
    std::vector<std::string> found;
    simulate_on(1, options, [&](engine& run) {
      run.record();
      threads<> const master{"master", 1};
      graph<Start, Done> const g = ovlp::leaf("all", master.at(0), [&](here<>& here, Start) {
        for (int i = 0; i < 5; ++i) {
          here.kernel("one", {1}, [&] {
            double const until_s = uneven && i == 1 ? 0.05 : 0.001;
            volatile double sum = 0;
            for (auto const from = std::chrono::steady_clock::now(); ovlp::testing::seconds_since(from) < until_s;) {
              sum = sum + 1;
            }
          });
        }
        return Done{5};
      });
      run(g, {});
      found = run.summary().simulation->warnings;
    });
    return found;
  };
  std::string const file = folder.file("p.json", platform());
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--platform", file});
    return more;
  };
  CHECK(warnings({}, false).empty());
  auto const poor = warnings({"--execution", "sampled", "--sample", "3"}, true);
  REQUIRE(poor.size() == 1);
  CHECK(poor[0].starts_with("the mean charged for kernel 'one' of sizes [1] is of 3 measurements and has a standard"));
  std::string const other = folder.file("o.json", R"({"reference_core": "abacus", "kernels": {"one": [{"sizes": [1],
    "mean_s": 2}]}})");
  CHECK(warnings(with({"--execution", "partial", "--durations", other}), false) ==
        std::vector<std::string>{other + " has durations of 'abacus', but the platform's reference core is 'any': they "
                                         "are charged as they are"});
  std::string text = platform();
  text.replace(text.find("\"any\""), 5, R"("any", "processor": "slide rule")");
  std::string const elsewhere = folder.file("calibrated.json", text);
  std::string const core = ovlp::base::processor_name();
  std::string const note = "kernels are measured on '" + core + "', but the platform was calibrated on 'slide rule'";
  CHECK(warnings({"--platform", elsewhere, "--execution", "partial", "--durations", other}, false) ==
        std::vector<std::string>{other + " has durations of 'abacus', but the platform was calibrated on 'slide rule': "
                                         "they are charged as they are"});
  if (core != "unknown") {
    auto const measured = warnings({"--platform", elsewhere}, false);
    REQUIRE(measured.size() == 1);
    CHECK(measured[0].starts_with(note));
    auto const sampled = warnings({"--platform", elsewhere, "--execution", "sampled", "--sample", "4"}, false);
    CHECK(std::ranges::any_of(sampled, [&](std::string const& one) { return one.starts_with(note); }));
  }
  CHECK(warnings({"--platform", elsewhere, "--host-speed", "2"}, false).empty());
  text.replace(text.find("slide rule"), 10, core);
  CHECK(warnings({"--platform", folder.file("here.json", text)}, false).empty());
  std::string const unknown = folder.file("u.json", R"({"reference_core": "any", "kernels": {"two": [{"sizes": [1],
    "mean_s": 2}]}})");
  CHECK(warnings(with({"--execution", "partial", "--durations", unknown, "--sample", "7", "--vary", "1", "--host-speed",
                       "2"}),
                 false) == std::vector<std::string>{
                               "--durations had no effect: no kernel that it knows was done",
                               "--sample had no effect: expected with --execution sampled",
                               "--host-speed had no effect: nothing was measured",
                               "--vary had no effect: neither --durations nor the platform says how anything varies"});
  std::string const known = folder.file("k.json", R"({"reference_core": "any", "kernels": {"one": [{"sizes": [1],
    "mean_s": 2}]}})");
  CHECK(warnings(with({"--execution", "partial", "--durations", unknown, "--durations", known}), false) ==
        std::vector<std::string>{"--durations " + unknown +
                                 " had no effect: no kernel that it knows was done, or later files know them all"});
  CHECK(warnings(with({"--durations", unknown}), false) ==
        std::vector<std::string>{"--durations had no effect: expected with --execution partial"});
}
