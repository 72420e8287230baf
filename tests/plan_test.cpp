// SPDX-License-Identifier: BSD-3-Clause
// Plans: which nodes a run holds, iteration by iteration; and policies of a program's own.
#include "support/process.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/records/plan.hpp>

namespace {

using ovlp::held_nodes;
using ovlp::plan;
using ovlp::testing::temporary_folder;
using engine = ovlp::engine_base;

std::string why_refused(std::string const& text) {
  temporary_folder const folder;
  std::string const file = folder.file("plan.json", text);
  std::string const said = ovlp::testing::thrown_by<ovlp::config_error>([&] { plan::read(file); }).what();
  CHECK(said.starts_with(file + ": "));
  return said.substr(file.size() + 2);
}

struct Round {
  int index;
};
struct Where {
  std::set<std::uint32_t> nodes;
};

/// Three rounds, in which every worker says where it is; between them the workers are those that are to be held.
ovlp::graph<Round, std::vector<Where>> rounds(engine& run, ovlp::threads<> const& workers, int count) {
  ovlp::threads<> const master{"master", 1};
  ovlp::graph<Round, Where> const round =
      ovlp::graph(ovlp::everywhere("look", workers, [](ovlp::here<>& here, Round) { return Where{{here.node()}}; }) >>
                  ovlp::reduce("join", master.at(0), [](Where all, Where const& one) {
                    all.nodes.insert(one.nodes.begin(), one.nodes.end());
                    return all;
                  }));
  run.add(round);
  return ovlp::graph{"rounds", ovlp::leaf("rounds", master.at(0), [=](ovlp::here<>& here, Round) {
                       std::vector<Where> seen;
                       for (int k = 1; k <= count; ++k) {
                         here.iteration(k);
                         seen.push_back(here.call(round, {k}));
                         here.end_of_iteration(
                             k, [&](held_nodes const& held) { here.resize(workers, held.of("workers")); });
                       }
                       return seen;
                     })};
}
std::vector<std::size_t> sizes(std::vector<Where> const& seen) {
  std::vector<std::size_t> all;
  for (Where const& where : seen) all.push_back(where.nodes.size());
  return all;
}

/// Gives a node back after each iteration.
class one_less final : public ovlp::policy {
 public:
  std::optional<ovlp::decision> decide(ovlp::border const& at) override {
    if (at.held.nodes == 1) return std::nullopt;
    return ovlp::decision{{at.held.nodes - 1}, "one less than " + std::to_string(at.held.nodes)};
  }
};

/// Wants what there is not.
class too_many final : public ovlp::policy {
 public:
  std::optional<ovlp::decision> decide(ovlp::border const& at) override {
    return ovlp::decision{{at.nodes + 1}, "greed"};
  }
};

}  // namespace

TEST_CASE("a plan is read as it was written") {
  plan made;
  made.program = "lu";
  made.changes = {{0, {8, {{"columns", 4}}}}, {1, {4}}, {7, {6}}};
  temporary_folder const folder;
  plan const read = plan::read(folder.file("plan.json", made.json()));
  CHECK(read.program == "lu");
  CHECK(read.changes == made.changes);
  CHECK(read.held_in(1, 16) == held_nodes{8, {{"columns", 4}}});
  CHECK(plan::read(folder.file("empty.json", plan{}.json())).changes.empty());
  CHECK(plan{}.held_in(1, 16) == held_nodes{16});
  CHECK(read.held_in(1, 16).of("columns") == 4);
  CHECK(read.held_in(1, 16).of("multipliers") == 8);
}

TEST_CASE("a file that is no plan is refused, with the place") {
  CHECK(why_refused("[]").find("expected an object") != std::string::npos);
  CHECK(why_refused(R"({"changes": []})") == "program: missing");
  CHECK(why_refused(R"({"program": "lu", "changes": [], "x": 1})").find('x') != std::string::npos);
  auto const change = [](std::string const& text) {
    return why_refused(R"({"program": "lu", "changes": [)" + text + "]}");
  };
  CHECK(change(R"({"after": 1})") == "changes[0].nodes: missing");
  CHECK(change(R"({"after": 1, "nodes": 0})").find("changes[0].nodes: expected ") == 0);
  CHECK(change(R"({"after": -1, "nodes": 1})").find("changes[0].after: expected ") == 0);
  CHECK(change(R"({"after": 1.5, "nodes": 1})").find("changes[0].after: expected ") == 0);
  CHECK(change(R"({"after": 99999999999, "nodes": 1})").find("changes[0].after: expected ") == 0);
  CHECK(change(R"({"after": 2, "nodes": 1}, {"after": 2, "nodes": 2})").find("changes[1].after: expected ") == 0);
  CHECK(change(R"({"after": 1, "nodes": 2, "collections": {"a": 3}})").find("changes[0].collections.a: expected ") ==
        0);
  CHECK(change(R"({"after": 1, "nodes": 2, "node": 3})").find("changes[0].node") == 0);
}

TEST_CASE("a plan for another program, or more nodes than there are, is refused") {
  plan made;
  made.program = "heat";
  CHECK_THROWS_WITH_AS(made.expect("lu", 4), "plan: program: expected 'lu', got 'heat'", ovlp::config_error);
  made.expect("heat", 1);
  made.file = "p.json";
  made.program = "";
  CHECK_THROWS_WITH_AS(made.expect("heat", 4), "--plan p.json: program: expected 'heat', got ''", ovlp::config_error);
  made.program = "heat";
  made.changes = {{0, {4}}, {3, {5}}};
  CHECK_THROWS_WITH_AS(made.expect("heat", 4),
                       "--plan p.json: after iteration 3: expected 1 to 4 nodes (--nodes), got 5", ovlp::config_error);
  made.expect("heat", 5);
  made.expect_borders_to(3);
  CHECK_THROWS_WITH_AS(made.expect_borders_to(2),
                       "--plan p.json: after iteration 3: expected changes after iterations up to 2",
                       ovlp::config_error);
}

TEST_CASE("a run holds what its plan says, to nodes that were released before, and tells") {
  ovlp::testing::run_on(4, [](engine& run) {
    plan followed;
    followed.changes = {{0, {3}}, {1, {1}}, {2, {4}}, {4, {2}}, {5, {4, {{"workers", 3}}}}};
    run.follow(followed);
    CHECK(run.held_at_start().nodes == 3);
    CHECK(run.may_change_after(1));
    CHECK_FALSE(run.may_change_after(3));
    ovlp::threads<> const workers{"workers", run.held_at_start().nodes};
    auto const graph = rounds(run, workers, 6);
    run.record();
    CHECK(sizes(run(graph, {})) == std::vector<std::size_t>{3, 1, 4, 4, 2, 3});
    auto const figures = run.summary();
    REQUIRE(figures.decisions.size() == 4);
    CHECK(figures.decisions[0].iteration == 1);
    CHECK(figures.decisions[0].nodes == 1);
    CHECK(figures.decisions[0].reason == "plan");
    CHECK(figures.decisions[0].at_s >= 0);
    CHECK(figures.decisions[0].at_s <= figures.time_s);
    CHECK(figures.decisions[3].nodes == 4);
    CHECK(figures.held_node_s <= 4 * figures.time_s);
    CHECK(figures.held_node_s >= figures.time_s);
  });
}

TEST_CASE("a policy of the program's own decides, and gives its reasons") {
  ovlp::testing::run_on(3, [](engine& run) {
    run.follow(std::make_shared<one_less>());
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = rounds(run, workers, 4);
    run.record();
    CHECK(sizes(run(graph, {})) == std::vector<std::size_t>{3, 2, 1, 1});
    auto const figures = run.summary();
    REQUIRE(figures.decisions.size() == 2);
    CHECK(figures.decisions[1].reason == "one less than 2");
    CHECK_THROWS_AS(run.follow(plan{}), ovlp::config_error);
  });
}

TEST_CASE("the main program, too, learns at its borders what is to be held") {
  ovlp::testing::run_on(2, [](engine& run) {
    plan followed;
    followed.changes = {{2, {1}}};
    run.follow(followed);
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = rounds(run, workers, 0);
    run(graph, {});
    int changes = 0;
    auto const change = [&](held_nodes const& held) {
      ++changes;
      CHECK(held.nodes == 1);
      run.resize(workers, held.nodes);
    };
    run.end_of_iteration(1, change);
    CHECK(changes == 0);
    run.end_of_iteration(2, change);
    CHECK(changes == 1);
    run.end_of_iteration(3, change);
    CHECK(changes == 1);
    CHECK_THROWS_AS(run.end_of_iteration(0, change), ovlp::graph_error);
  });
}

TEST_CASE("a change after an iteration of which nobody asks is made at the next border") {
  ovlp::testing::run_on(3, [](engine& run) {
    plan followed;
    followed.changes = {{2, {1}}, {3, {2}}, {5, {3}}};
    run.follow(followed);
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = rounds(run, workers, 0);
    run(graph, {});
    std::vector<std::size_t> held;
    for (int const border : {1, 4, 3, 6}) {
      std::size_t nodes = 0;
      run.end_of_iteration(border, [&](held_nodes const& hold) { nodes = hold.nodes; });
      held.push_back(nodes);
    }
    CHECK(held == std::vector<std::size_t>{0, 2, 0, 3});
  });
}

TEST_CASE("what cannot be held ends the run with the reason") {
  ovlp::testing::run_on(2, [](engine& run) {
    run.follow(std::make_shared<too_many>());
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = rounds(run, workers, 2);
    auto const error = ovlp::testing::thrown_by<ovlp::operation_error>([&] { run(graph, {}); });
    CHECK(ovlp::testing::contains(error.what(), "after iteration 1: expected to hold 1 to 2 nodes, got 3 (greed)"));
  });
}

TEST_CASE("a plan that names a collection the program does not have is refused before the run") {
  ovlp::testing::simulate_on(2, {}, [](engine& run) {
    plan followed;
    followed.changes = {{1, {2, {{"columns", 1}}}}};
    run.follow(followed);
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = rounds(run, workers, 1);
    CHECK_THROWS_WITH_AS(run(graph, {}), "plan: expected a collection of workers, master, got 'columns'",
                         ovlp::config_error);
  });
}

namespace {

/// On node 0 of a platform on which a kernel takes as many seconds as its size says.
std::vector<std::string> seconds(temporary_folder const& folder, int latency_s = 0) {
  return {"--platform",
          folder.file("p.json",
                      R"({"name": "test", "reference_core": "any", "nodes": [{"count": 8, "cores": 1, "speed": 1}],
            "network": {"model": "star", "latency_s": )" +
                          std::to_string(latency_s) + R"(, "bandwidth_Bps": 1e9},
            "kernels": {"work": {"coefficient_s": 1, "exponents": [1]}}})"),
          "--execution", "partial"};
}

/// In round k so many workers compute for a second as `active[k - 1]` says, and all others wait for them.
ovlp::graph<Round, int> busy_rounds(engine& run, ovlp::threads<> const& workers, std::vector<int> active) {
  ovlp::threads<> const master{"master", 1};
  auto const compute = [active](ovlp::here<>& here, Round round) {
    if (static_cast<int>(here.index()) < active[static_cast<std::size_t>(round.index - 1)])
      here.kernel("work", {1}, [] {});
    return 0;
  };
  ovlp::graph<Round, int> const round =
      ovlp::graph(ovlp::everywhere("compute", workers, compute) >> ovlp::reduce("join", master.at(0), std::plus<>{}));
  run.add(round);
  return ovlp::graph{"rounds", ovlp::leaf("rounds", master.at(0), [=](ovlp::here<>& here, Round) {
                       for (int k = 1; k <= static_cast<int>(active.size()); ++k) {
                         here.iteration(k);
                         here.call(round, {k});
                         here.end_of_iteration(
                             k, [&](held_nodes const& held) { here.resize(workers, held.of("workers")); });
                       }
                       return 0;
                     })};
}

}  // namespace

TEST_CASE("a threshold keeps as many nodes as were busy, and takes more when all are") {
  temporary_folder const folder;
  std::vector<std::string> options = seconds(folder);
  options.insert(options.end(), {"--policy", "efficiency>=0.8"});
  ovlp::testing::simulate_on(8, options, [](engine& run) {
    CHECK(run.may_change_after(1));
    ovlp::threads<> const workers{"workers", run.held_at_start().nodes};
    auto const graph = busy_rounds(run, workers, {4, 4, 8, 8, 1, 1, 1, 1});
    run(graph, {});
    auto const figures = run.summary();  // a policy that measures has it recorded
    std::vector<std::pair<int, std::size_t>> decided;
    for (auto const& d : figures.decisions) decided.emplace_back(d.iteration, d.nodes);
    // 4 of 8 busy: 4 / 0.8. 4 of these 5: one more is tried. All 6: 6 / 0.8. All 7: 7 / 0.8. 1 of 8: 1 / 0.8, and that
    // one is busy enough to try another, which is not.
    CHECK(decided == std::vector<std::pair<int, std::size_t>>{{1, 5}, {2, 6}, {3, 7}, {4, 8}, {5, 1}, {6, 2}, {7, 1}});
    REQUIRE(figures.decisions.size() > 1);
    CHECK(figures.decisions[0].reason == "efficiency 50.0 %, wanted 80.0 %");
  });
}

namespace {

/// Gives nodes back and takes them again, and keeps what it is told.
struct seen final : ovlp::policy {
  std::vector<double> efficiencies, times_s, node_s;
  std::optional<ovlp::decision> decide(ovlp::border const& at) override {
    efficiencies.push_back(at.efficiency.value_or(-1));
    times_s.push_back(at.time_s);
    node_s.push_back(at.held_node_s);
    return ovlp::decision{{at.iteration % 2 == 1 ? 1U : 4U}, "by turns"};
  }
};
bool about(std::vector<double> const& measured, std::vector<double> const& expected) {
  return std::equal(measured.begin(), measured.end(), expected.begin(), expected.end(),
                    [](double m, double e) { return std::abs(m - e) < 1e-4; });
}

}  // namespace

TEST_CASE("work of nodes that have left is counted once") {
  temporary_folder const folder;
  ovlp::testing::simulate_on(4, seconds(folder), [](engine& run) {
    auto const decides = std::make_shared<seen>();
    run.follow(decides);
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = busy_rounds(run, workers, {4, 4, 4, 4, 4, 2});
    run(graph, {});
    CAPTURE(decides->efficiencies.at(1));
    CAPTURE(decides->efficiencies.at(5));
    CHECK(about(decides->efficiencies, {1, 1, 1, 1, 1, 1}));
    CHECK(about(decides->times_s, {1, 2, 3, 4, 5, 6}));
    CHECK(about(decides->node_s, {4, 5, 9, 10, 14, 15}));
  });
}

TEST_CASE("work of nodes that are still leaving at the next border is counted once") {
  temporary_folder const folder;
  // Messages take as long as rounds, but not those of node 0 to itself, which goes on alone.
  ovlp::testing::simulate_on(4, seconds(folder, 1), [](engine& run) {
    auto const decides = std::make_shared<seen>();
    run.follow(decides);
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = busy_rounds(run, workers, {4, 1, 4, 1, 4, 1});
    run(graph, {});
    double work_s = 0;
    for (std::size_t k = 0; k < decides->efficiencies.size(); ++k) {
      CAPTURE(k);
      CHECK(decides->efficiencies[k] > 0);
      CHECK(decides->efficiencies[k] <= 1 + 1e-9);
      work_s += decides->efficiencies[k] * (decides->node_s[k] - (k > 0 ? decides->node_s[k - 1] : 0));
    }
    CHECK(work_s == doctest::Approx(15));
  });
}

TEST_CASE("a policy is told what was held for how long, for real") {
  ovlp::testing::run_on(4, [](engine& run) {
    auto const decides = std::make_shared<seen>();
    run.follow(decides);
    ovlp::threads<> const workers{"workers", run.nodes()};
    auto const graph = rounds(run, workers, 6);
    run(graph, {});
    REQUIRE(decides->times_s.size() == 6);
    CHECK(std::is_sorted(decides->times_s.begin(), decides->times_s.end()));
    CHECK(decides->node_s.back() >= decides->times_s.back());
    CHECK(decides->node_s.back() <= 4 * decides->times_s.back());
  });
}

TEST_CASE("a policy plans anew when the run takes another time than was forecast") {
  temporary_folder const folder;
  auto const decided = [&](std::string const& forecast_s, std::string const& goal) {
    std::vector<std::string> options = seconds(folder);
    std::string const plan = folder.file("plan.json", R"({"program": "test", "changes": [{"after": 0, "nodes": 4}],
      "advice": {"goal": ")" + goal + R"(", "as_it_is": {"time_s": 4, "held_node_s": 16}, "change_s": 0,
      "forecast": [{"nodes": 2, "time_s": [2, 2, 2, 2], "efficiency": [1, 1, 1, 1]},
                   {"nodes": 4, "time_s": [)" + forecast_s +
                                                          R"(, 1.2, 1.2, 1.2], "efficiency": [1, 1, 1, 1]}]}})");
    options.insert(options.end(), {"--plan", plan, "--policy", "advise"});
    std::vector<ovlp::decision_summary> made;
    ovlp::testing::simulate_on(4, options, [&](engine& run) {
      ovlp::threads<> const workers{"workers", run.held_at_start().nodes};
      auto const graph = busy_rounds(run, workers, {4, 4, 4, 4});
      run(graph, {});
      made = run.summary().decisions;
    });
    return made;
  };
  // As forecast: with 4 nodes 4.6 s, of which the goal allows 4.8.
  CHECK(decided("1", "time<=+20%").empty());
  // It took half as long as forecast, so all that is left will: 2 nodes keep within the budget, and so do 4.
  CHECK(decided("2", "node-seconds<=30").empty());
  auto const cheaper = decided("1", "cost=1/node-second+0/second");
  REQUIRE(cheaper.size() == 1);
  CHECK(cheaper[0].nodes == 2);
  CHECK(cheaper[0].reason == "takes 1.000 times as long as forecast: planned anew for cost=1/node-second+0/second");
}
