// SPDX-License-Identifier: BSD-3-Clause
// Nodes with links, speeds and memory of their own, and what changes with time; in times that can be computed by hand.
#include "support/fan.hpp"
#include "support/process.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/runtime/real.hpp>
#include <ovlp/simkernel/simulated.hpp>

namespace {

using ovlp::buffer;
using ovlp::graph;
using ovlp::here;
using ovlp::threads;
using ovlp::testing::Done;
using ovlp::testing::fan;
using ovlp::testing::simulate_on;
using ovlp::testing::Start;
using ovlp::testing::Task;
using ovlp::testing::thrown_by;
using engine = ovlp::engine_base;

constexpr std::size_t megabyte = 1'000'000;
/// Nodes with a core each on a network of 1 MB/s with a latency of 1 ms; kernel "one" takes 1 s for each unit of its
/// size. `node1`: what is said of node 1.
std::string platform(std::string const& node1, std::string const& model = "star") {
  return R"({"name": "test", "reference_core": "any", "nodes": [{"count": 1, "cores": 1, "speed": 1},
    {"count": 1, "cores": 1, "speed": 1)" +
         (node1.empty() ? "" : ", " + node1) + R"(}, {"count": 2, "cores": 1, "speed": 1}],
  "network": {"model": ")" +
         model + R"(", "latency_s": 0.001, "bandwidth_Bps": 1e6},
  "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}}})";
}

/// The summary of a fan to `workers_on`.
ovlp::summary fan_on(std::string const& described, char const* workers_on, int tasks, int seconds,
                     std::vector<std::string> const& more = {}) {
  ovlp::testing::temporary_folder const folder;
  std::vector<std::string> arguments{"--platform", folder.file("p.json", described), "--execution", "partial",
                                     "--no-alloc"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ovlp::summary found;
  simulate_on(4, arguments, [&](engine& run) {
    run.record();
    threads<> const master{"master", "node0"}, workers{"workers", workers_on};
    run(fan(master, workers, tasks, megabyte, seconds), {});
    found = run.summary();
  });
  return found;
}

double fan_time_s(std::string const& node1, int seconds, std::string const& model = "star") {
  return fan_on(platform(node1, model), "node1", 1, seconds).time_s;
}

std::string fault(std::string const& node1, std::string const& network = "") {
  std::string text = platform(node1);
  if (!network.empty())
    text.replace(text.find("\"network\""), text.find("\"kernels\"") - text.find("\"network\""), network);
  auto const wrong = thrown_by<ovlp::config_error>([&] { ovlp::machine::platform::parse(text, "p.json"); });
  return wrong.what();
}

}  // namespace

TEST_CASE("a node's link has a bandwidth and a latency of its own, in every model") {
  std::string const slow = R"("link": {"bandwidth_Bps": 0.5e6, "latency_s": 0.1})";
  constexpr double back_s = 8 / 1e6;  // a Done
  for (std::string const model : {"star", "max-min", "bus", "linear"}) {
    CAPTURE(model);
    CHECK(fan_time_s("", 3, model) == doctest::Approx(0.001 + 1 + 3 + 0.001).epsilon(1e-5));
    double const time_s = fan_time_s(slow, 3, model);
    CHECK(time_s == doctest::Approx(0.101 + 2 + 3 + 0.101 + back_s).epsilon(1e-6));
  }
}

TEST_CASE("a link's bandwidth changes with time, in every model") {
  // A quarter of a megabyte by 0.251 s, a quarter at a quarter of the speed until 1.251 s, the rest at twice the speed.
  std::string const congested = R"("link": {"bandwidth_over_time": [[0.251, 0.25], [1.251, 2]]})";
  for (std::string const model : {"max-min", "bus", "linear", "star"}) {
    CAPTURE(model);
    // The other end of the transfer is node 0's link, which stays what it is.
    double const crossed_s = 1.251 + 0.5;
    CHECK(fan_time_s(congested, 3, model) == doctest::Approx(crossed_s + 3 + 0.001).epsilon(1e-5));
  }
}

TEST_CASE("a node's speed changes with time") {
  // The object comes at 1.001 s; of three seconds of work one is done by 2.001, and the rest at half the speed.
  CHECK(fan_time_s(R"("speed_over_time": [[0, 1], [2.001, 0.5]])", 3) == doctest::Approx(6.001 + 0.001).epsilon(1e-5));
  CHECK(fan_time_s(R"("speed_over_time": [[0, 2]])", 3) == doctest::Approx(1.001 + 1.5 + 0.001).epsilon(1e-5));
  CHECK(fan_time_s(R"("speed_over_time": [[1, 0], [10, 1]])", 3) == doctest::Approx(13 + 0.001).epsilon(1e-5));
}

TEST_CASE("a node that stands still for good ends the run with what waits") {
  std::string stops = platform(R"("speed_over_time": [[2, 0]])");
  SUBCASE("nodes have cores of their own") {}
  SUBCASE("nodes are on cores of one machine") {
    std::string const quota = R"("quota": {"share": 0.5, "period_s": 0.1, "carry_s": 0}, )";
    for (std::size_t at = 0; (at = stops.find("\"cores\"", at)) != std::string::npos; at += quota.size() + 1)
      stops.insert(at, quota);
    stops.insert(stops.find("\"kernels\""), R"("host": {"cores": 2, "time_slice_s": 0.003}, )");
  }
  auto const wrong = thrown_by<ovlp::stalled>([&] { fan_on(stops, "node1", 1, 3); });
  INFO(wrong.what());
  CHECK(ovlp::testing::contains(wrong.what(), "node1 has work to do and stands still: its speed has become 0"));
}

TEST_CASE("a node is slow at times that a seed draws") {
  std::string const straggler = platform(R"("slowdowns": [{"interval_s": {"name": "exponential", "mean": 5},
    "duration_s": {"name": "uniform", "from": 1, "to": 3}, "factor": {"name": "pareto", "least": 2, "shape": 3}}])");
  auto const time_s = [&](std::vector<std::string> const& vary) {
    return fan_on(straggler, "node1", 1, 30, vary).time_s;
  };
  double const without_seed_s = time_s({});
  CHECK(without_seed_s > 31.002 + 1);
  CHECK(time_s({}) == without_seed_s);
  CHECK(time_s({"--vary", "1"}) == time_s({"--vary", "1"}));
  CHECK(time_s({"--vary", "1"}) != time_s({"--vary", "2"}));
  CHECK(time_s({"--without", "slowdowns"}) == doctest::Approx(31.002).epsilon(1e-5));
  // Of a constant, by hand: slow from 2 to 3 s, so 1.249 s are done by then of what comes at 1.001 s.
  std::string const regular = platform(R"("slowdowns": [{"interval_s": 2, "duration_s": 1, "factor": 4}])");
  CHECK(fan_on(regular, "node1", 1, 3).time_s == doctest::Approx(4.752).epsilon(1e-5));
}

TEST_CASE("what a platform's file says and nothing came of is said") {
  auto const without_effect = [](std::string described, std::string const& more, char const* workers_on = "node1",
                                 std::vector<std::string> const& options = {}) {
    described.insert(described.find("\"kernels\""), more);
    ovlp::summary const found = fan_on(described, workers_on, 1, 3, options);
    std::string all;
    for (std::string const& line : found.simulation->without_effect) {
      all += line + "\n";
    }
    return all;
  };
  std::string const of_nodes = "nodes[2]: no node of it was held\n";
  CHECK(without_effect(platform(""), "") == of_nodes);

  std::string const node1 = R"("launch_s": 1, "speed_deviation": 0.1, "speed_over_time": [[100, 2]],
    "quota": {"share": 1, "period_s": 1}, "slowdowns": [{"interval_s": 100, "duration_s": 1, "factor": 2}],
    "link": {"bandwidth_over_time": [[100, 2]]})";
  std::string const nothing =
      "nodes[1].launch_s: no node of it was launched while the program ran\n"
      "nodes[1].quota: no node of it was throttled\n"
      "nodes[1].speed_deviation: expected with --vary\n"
      "nodes[1].slowdowns: none came before the end\n"
      "nodes[1].speed_over_time: it begins after the end\n"
      "nodes[1].link.bandwidth_over_time: it begins after the end\n"
      "nodes[2]: no node of it was held\n";
  CHECK(without_effect(platform(node1), "") == nothing);
  std::string const effective = R"("speed_deviation": 0.1, "speed_over_time": [[2, 2]],
    "quota": {"share": 0.5, "period_s": 1}, "slowdowns": [{"interval_s": 2, "duration_s": 1, "factor": 2}],
    "link": {"bandwidth_over_time": [[0.5, 2]]})";
  CHECK(without_effect(platform(effective), "", "node1", {"--vary", "1"}) == of_nodes);

  std::string const costs = R"("comm_cpu": {"incoming": [0, 0.1], "outgoing": [0], "per_message_s": 0.1},
    "runtime": {"per_step_s": 0.001, "per_object_s": 0.001, "concurrent_per_pair": 2}, )";
  CHECK(without_effect(platform(""), costs) == of_nodes);
  CHECK(without_effect(platform(""), costs, "node0") ==
        "nodes[1]: no node of it was held\n"
        "nodes[2]: no node of it was held\n"
        "network: no message went from node to node\n"
        "comm_cpu: no message went from node to node\n"
        "runtime.concurrent_per_pair: no message went from node to node\n");
  std::string another_kernel = platform("");
  another_kernel.insert(another_kernel.find("\"one\""), R"("two": {"coefficient_s": 1, "exponents": [1]}, )");
  CHECK(without_effect(another_kernel, "") ==
        "nodes[2]: no node of it was held\n"
        "kernels: none was charged by the model of two\n");
}

TEST_CASE("parts of nodes that are wrong are said by their place") {
  CHECK(fault(R"("speed_over_time": [[1, 1], [1, 2]])") ==
        "p.json: nodes[1].speed_over_time: expected times that grow from step to step, got [[1,1],[1,2]]");
  CHECK(fault(R"("speed_over_time": [[1]])") ==
        "p.json: nodes[1].speed_over_time[0]: expected a list of two numbers, got [1]");
  CHECK(fault(R"("speed_over_time": [])") ==
        "p.json: nodes[1].speed_over_time: expected a list of one pair of numbers or more, got []");
  CHECK(fault(R"("speed_over_time": [[-1, 1]])") ==
        "p.json: nodes[1].speed_over_time[0][0]: expected a number of at least 0, got -1");
  CHECK(fault(R"("link": {"bandwidth_over_time": [[1, 0]]})") ==
        "p.json: nodes[1].link.bandwidth_over_time[0][1]: expected a number of at least 1e-06, got 0");
  CHECK(
      fault(R"("link": {"bandwith_Bps": 1})").starts_with("p.json: nodes[1].link.bandwith_Bps: unknown key; expected"));
  CHECK(fault(R"("slowdowns": [{"interval_s": 1, "duration_s": 1}])") ==
        "p.json: nodes[1].slowdowns[0].factor: missing");
  CHECK(fault(R"("slowdowns": [{"interval_s": {"name": "normal", "mean": 1}, "duration_s": 1, "factor": 2}])") ==
        "p.json: nodes[1].slowdowns[0].interval_s.name: expected \"uniform\", \"exponential\", \"lognormal\" or "
        "\"pareto\", got \"normal\"");
  CHECK(fault(R"("slowdowns": [{"interval_s": {"name": "exponential", "mean": 0}, "duration_s": 1, "factor": 2}])") ==
        "p.json: nodes[1].slowdowns[0].interval_s.mean: expected a number above 0, got 0");
  CHECK(fault(R"("memory_bytes": 0)") == "p.json: nodes[1].memory_bytes: expected a number above 0, got 0");
  CHECK(fault(R"("link": {"latency_s": 1})", R"("network": {"model": "simgrid",
    "topology": {"name": "star", "nodes": 4}, "latency_s": 0.001, "bandwidth_Bps": 1e6}, )") ==
        "p.json: nodes[1].link: expected none where the network describes all links, got {\"latency_s\":1}");
}

TEST_CASE("objects that exceed a node's memory are reported with the moment and the owner") {
  // Three objects of a megabyte. One comes each second, the first is worked on for ten. Then there is an answer, too.
  constexpr std::size_t at_most = 3 * (megabyte - 8) + 4;  // sizes of buffers do not count
  ovlp::summary const found = fan_on(platform(R"("memory_bytes": 2.5e6)"), "node1", 3, 10);
  REQUIRE(found.simulation->memory.size() == 1);
  CHECK(found.simulation->memory[0].node == 1);
  CHECK(found.simulation->memory[0].bytes == 2'500'000);
  CHECK(found.simulation->memory[0].peak_bytes == at_most);
  REQUIRE(found.simulation->warnings.size() == 1);
  // The third object leaves when the second has come; it has its place from then on.
  CHECK(found.simulation->warnings[0] ==
        "node1 has 2.500 MB of memory, exceeded at 2.001000 s by an object for leaf 'work' in workers[0]; most is held "
        "by objects for leaf 'work': 3.000 MB; at most there were 3.000 MB, at 11.001000 s");

  ovlp::summary const enough = fan_on(platform(R"("memory_bytes": 3e6)"), "node1", 3, 10);
  CHECK(enough.simulation->warnings.empty());
  CHECK(enough.simulation->memory[0].peak_bytes == at_most);
  // A short kernel lets one go before the next has come.
  CHECK(fan_on(platform(R"("memory_bytes": 3e6)"), "node1", 3, 0).simulation->memory[0].peak_bytes ==
        2 * (megabyte - 8) + 4);
  CHECK(fan_on(platform(""), "node1", 3, 10).simulation->memory.empty());
}

TEST_CASE("of many nodes without enough memory the first are named and the others counted") {
  std::string described = platform("");
  described.replace(described.find(R"({"count": 2,)"), 12, R"({"count": 9, "memory_bytes": 1000,)");
  ovlp::testing::temporary_folder const folder;
  simulate_on(11, {"--platform", folder.file("p.json", described), "--execution", "partial", "--no-alloc"},
              [&](engine& run) {
                run.record();
                threads<> const master{"master", "node0"},
                    workers{"workers", "node2 node3 node4 node5 node6 node7 node8 node9 node10"};
                run(fan(master, workers, 9, megabyte, 1), {});
                auto const warnings = run.summary().simulation->warnings;
                REQUIRE(warnings.size() == 5);
                CHECK(warnings[0].starts_with("node2 has 0.001 MB"));
                CHECK(warnings[4] == "5 more nodes have less memory than what was on them");
              });
}

namespace {

/// What a thread keeps.
struct Store {
  std::vector<buffer<unsigned char>> kept;
};
struct Opaque {
  void* what = nullptr;
};

}  // namespace

TEST_CASE("states count as they are after each step, and what objects share with them counts once") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.file("p.json", platform(R"("memory_bytes": 3.5e6)"));
  simulate_on(4, {"--platform", file, "--execution", "partial", "--no-alloc"}, [&](engine& run) {
    run.record();
    threads<> const master{"master", "node0"};
    threads<Store> const stores{"stores", "node1"};
    graph<Start, Done> const three = ovlp::testing::deal(master, 3, megabyte, 1) >>
                                     ovlp::leaf("keep", stores.in_turn(),
                                                [](here<Store>& here, Task task) {
                                                  here.state.kept.push_back(task.ballast);
                                                  return Done{task.number};
                                                }) >>
                                     ovlp::testing::count(master);
    run(three, {});
    CHECK(run.summary().simulation->warnings.empty());
    CHECK(run.summary().simulation->memory[0].peak_bytes < 3.1e6);
    CHECK(run.summary().simulation->memory[0].peak_bytes > 2.9e6);
    run(three, {});
    auto const warnings = run.summary().simulation->warnings;
    REQUIRE(warnings.size() == 1);
    CHECK(ovlp::testing::contains(
        warnings[0], "by an object for leaf 'keep' in stores[0]; most is held by states of 'stores': 3.000 MB"));
    CHECK(run.summary().simulation->memory[0].peak_bytes > 5.9e6);
  });
}

TEST_CASE("states that are no data objects are not counted, and that is said") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.file("p.json", platform(R"("memory_bytes": 3.5e6)"));
  simulate_on(4, {"--platform", file, "--execution", "partial", "--no-alloc"}, [&](engine& run) {
    run.record();
    threads<Opaque> const opaque{"opaque", "node1"};
    graph<Start, Done> const g =
        ovlp::leaf("look", opaque.at(0), [](here<Opaque>& here, Start) { return Done{here.state.what == nullptr}; });
    run(g, {});
    auto const warnings = run.summary().simulation->warnings;
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "memory_bytes does not count the states of 'opaque', which are no data objects");
  });
}
