// SPDX-License-Identifier: BSD-3-Clause
// ovlp advise: goals, allocations by dynamic programming, and advice for real programs.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/forecast.hpp>
#include <ovlp/analysis/goal.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/machine/platform.hpp>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ovlp::analysis::forecast;
using ovlp::analysis::goal;
using ovlp::analysis::run_costs;
using ovlp::base::outcome;
using ovlp::testing::contents;
using ovlp::testing::temporary_folder;
using Lines = std::vector<std::string>;

/// What an allocation costs, told step by step.
double cost_of(forecast const& expected, std::vector<std::size_t> const& held, ovlp::analysis::weights const& of,
               double change_s, std::optional<std::size_t> before) {
  double sum = 0;
  for (std::size_t k = 1; k <= held.size(); ++k) {
    std::size_t i = 0;
    while (expected.nodes()[i] != held[k - 1]) ++i;
    auto const price = [&](double s, std::size_t n) {
      return s * (of.of_time + of.of_node_s * static_cast<double>(n));
    };
    sum += price(expected.of(i, k).time_s, held[k - 1]);
    if (before && *before != held[k - 1]) sum += price(change_s, std::max(*before, held[k - 1]));
    before = held[k - 1];
  }
  return sum;
}

/// Gigabit, which says also how long a sweep of heat takes.
std::string platform_in(temporary_folder const& folder) {
  json made = json::parse(ovlp::machine::platform::text_of(PLATFORMS "/gigabit.json"));
  made["kernels"]["heat.sweep"] = {{"coefficient_s", 1e-9}, {"exponents", {1, 1}}};
  return folder.file("platform.json", made.dump());
}
bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

Lines program(std::string const& name, Lines const& more, std::string const& platform = PLATFORMS "/gigabit.json") {
  Lines words{name, "--execution", "partial", "--no-alloc", "--platform", platform};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
outcome advise(Lines options, Lines const& program) {
  options.insert(options.begin(), {OVLP_COMMAND, "advise"});
  options.emplace_back("--");
  options.insert(options.end(), program.begin(), program.end());
  return ovlp::base::run({options, "", {}, 100s});
}
json summary_of(Lines words, temporary_folder const& folder) {
  std::string const file = folder.path() / "summary.json";
  words.insert(words.end(), {"--summary", file});
  outcome const ran = ovlp::base::run({words});
  CAPTURE(ran.err);
  REQUIRE(ran.good());
  return json::parse(contents(file));
}

}  // namespace

TEST_CASE("goals order runs: first those within the bound, then those with less") {
  run_costs const as_it_is{100, 800, 0.4, 0.2};
  goal const slower = goal::read("time<=+5%");
  auto const rank = [&](goal const& of, run_costs const& run) { return of.of(run, as_it_is); };
  CHECK(rank(slower, {105, 500, 0.5, 0.3}) < rank(slower, {104, 501, 0.5, 0.3}));
  CHECK(rank(slower, {105, 501, 0.5, 0.3}) < rank(slower, {106, 300, 0.5, 0.3}));
  CHECK(rank(slower, {106, 300, 0.5, 0.3}) < rank(slower, {107, 200, 0.5, 0.3}));
  goal const budget = goal::read("node-seconds<=600");
  CHECK(rank(budget, {110, 600, 0.5, 0.3}) < rank(budget, {111, 300, 0.5, 0.3}));
  CHECK(rank(budget, {111, 300, 0.5, 0.3}) < rank(budget, {90, 601, 0.5, 0.3}));
  goal const efficient = goal::read("efficiency>=0.5");
  CHECK(rank(efficient, {200, 300, 0.6, 0.5}) < rank(efficient, {100, 300, 0.6, 0.49}));
  goal const cost = goal::read("cost=0.5/node-second+2/second");
  CHECK(cost.value({10, 20, 0, 0}) == 30);
  for (char const* wrong :
       {"", "time", "time<=5%", "time<=+x%", "time<=+5", "time<=+-5%", "node-seconds<=", "fast", "node-seconds<=0",
        "node-seconds<=1e999", "efficiency>=1.1", "efficiency>=nan", "cost=1/second", "cost=1/node-second",
        "cost=1e308/node-second+1/second", "cost=0/node-second+0/second", "cost=-1/node-second+1/second"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(goal::read(wrong), ovlp::config_error);
  }
}

TEST_CASE("dynamic programming finds what trying all allocations finds") {
  unsigned const seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(0, 1);
  for (int round = 0; round < 200; ++round) {
    forecast expected;
    std::size_t const iterations = 1 + random() % 5;
    for (std::size_t const nodes : {1U, 2U, 5U}) {
      std::vector<ovlp::analysis::iteration_forecast> all;
      for (std::size_t k = 0; k < iterations; ++k) all.push_back({real(random), real(random)});
      expected.add(nodes, all);
    }
    ovlp::analysis::weights const of{real(random), real(random)};
    double const change_s = real(random) < 0.3 ? 0 : 0.3 * real(random), bound = real(random) < 0.5 ? 0 : real(random);
    std::optional<std::size_t> const before = real(random) < 0.5 ? std::nullopt : std::optional<std::size_t>(2);

    double least = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> places(iterations);
    for (std::size_t number = 0; number < static_cast<std::size_t>(std::pow(3, iterations)); ++number) {
      std::vector<std::size_t> held;
      bool good = true;
      for (std::size_t k = 1, rest = number; k <= iterations; ++k, rest /= 3) {
        std::size_t const i = rest % 3;
        double best = 0;
        for (std::size_t other = 0; other < 3; ++other) best = std::max(best, *expected.of(other, k).efficiency);
        good = good && *expected.of(i, k).efficiency >= std::min(bound, best);
        held.push_back(expected.nodes()[i]);
      }
      if (good) least = std::min(least, cost_of(expected, held, of, change_s, before));
    }
    auto const found = best_allocation(expected, of, change_s, bound, 1, before);
    CHECK(cost_of(expected, found, of, change_s, before) == doctest::Approx(least));
  }
}

TEST_CASE("the advised plan brings what is said of it, whatever the number of workers") {
  temporary_folder const folder;
  std::string const plan = folder.path() / "plan.json", again = folder.path() / "again.json",
                    csv = folder.path() / "front.csv", picture = folder.path() / "front.svg";
  for (Lines const& of :
       {program(LU_SIMULATED, {"--n", "1200", "--block", "150", "--nodes", "4"}),
        program(LU_SIMULATED,
                {"--n", "1200", "--block", "150", "--nodes", "4", "--graph", "pipelined", "--flow-control", "8"}),
        program(HEAT_SIMULATED,
                {"--rows", "4000", "--columns", "2000", "--sweeps", "10", "--nodes", "4", "--strips", "12"},
                platform_in(folder))}) {
    CAPTURE(of[0]);
    // Half of the nodes take twice as long for what scales.
    outcome const told = advise({"--goal", "time<=+80%", "-o", plan, "--csv", csv, "--picture", picture}, of);
    CAPTURE(told.err);
    REQUIRE(told.good());
    json const file = json::parse(contents(plan));
    json const before = summary_of(of, folder);
    Lines with_plan = of;
    with_plan.insert(with_plan.end(), {"--plan", plan});
    json const after = summary_of(with_plan, folder);
    CHECK(file["advice"]["as_it_is"]["time_s"] == before["time_s"]);
    CHECK(file["advice"]["predicted"]["time_s"] == after["time_s"]);
    CHECK(file["advice"]["predicted"]["held_node_s"] == after["held_node_s"]);
    CHECK(after["time_s"].get<double>() <= 1.8 * before["time_s"].get<double>());
    CHECK(after["held_node_s"].get<double>() < before["held_node_s"].get<double>());
    CHECK(contents(csv).starts_with("time_s,held_node_s,efficiency,least_efficiency,plan\n"));
    CHECK(contents(picture).find("<svg") != std::string::npos);
    REQUIRE(advise({"--goal", "time<=+80%", "--jobs", "1", "-o", again}, of).good());
    CHECK(contents(again) == contents(plan));
  }
}

TEST_CASE("advice says within what it gains where plans like it were measured, and else that nobody knows") {
  temporary_folder const folder;
  auto const advised_on = [&](std::string const& platform, Lines more) {
    more.insert(more.begin(), {"--n", "400", "--block", "100", "--nodes", "2"});
    outcome const told = advise({"--goal", "time<=+20%"}, program(LU_SIMULATED, more, platform));
    CAPTURE(told.err);
    REQUIRE(told.good());
    return told.out;
  };
  std::string const gigabit = PLATFORMS "/gigabit.json";
  CHECK(contains(advised_on(gigabit, {}),
                 " %. How far that may be wrong is not backed by measurements: platform 'gigabit' was not calibrated "
                 "by ovlp calibrate.\n"));

  json calibrated = json::parse(contents(gigabit));
  calibrated["calibration"] = json::object();
  for (json& kind : calibrated["nodes"]) kind.update({{"cores", 1}, {"speed_deviation", 0.02}});
  std::string const platform = folder.file("calibrated.json", calibrated.dump());
  CHECK(contains(advised_on(platform, {}), " took its duration from: platform; expected durations.\n"));
  std::string const durations = folder.file("d.json", R"({"reference_core": )" + calibrated["reference_core"].dump() +
                                                          R"(, "kernels": {
    "lu.getrf": [{"sizes": [400, 100], "mean_s": 2e-3}, {"sizes": [300, 100], "mean_s": 2e-3},
                 {"sizes": [200, 100], "mean_s": 2e-3}, {"sizes": [100, 100], "mean_s": 2e-3}],
    "lu.laswp": [{"sizes": [400, 100], "mean_s": 1e-4}, {"sizes": [300, 100], "mean_s": 1e-4},
                 {"sizes": [200, 100], "mean_s": 1e-4}, {"sizes": [100, 100], "mean_s": 1e-4}],
    "lu.trsm": [{"sizes": [100, 100], "mean_s": 1e-3}], "lu.gemm": [{"sizes": [100, 100, 100], "mean_s": 4e-3}],
    "lu.subtract": [{"sizes": [100, 100], "mean_s": 1e-4}], "lu.copy": [{"sizes": [100, 100], "mean_s": 1e-5}]}})");
  std::string const told = advised_on(platform, {"--durations", durations});
  CAPTURE(told);
  CHECK(contains(told, "It takes "));
  CHECK(contains(told, " node-seconds and "));
  CHECK(contains(told, " losses of time.\n"));
}

TEST_CASE("what cannot be advised is refused in a line") {
  Lines const lu = program(LU_SIMULATED, {"--n", "400", "--block", "100", "--nodes", "2"});
  auto const refused = [](Lines const& options, Lines const& of, std::string const& why) {
    outcome const told = advise(options, of);
    CAPTURE(told.err);
    CHECK(told.status == 1);
    CHECK(told.out == "");
    CHECK(ovlp::testing::lines_of(told.err).size() == 1);
    CHECK(told.err.find(why) != std::string::npos);
  };
  Lines const goal{"--goal", "time<=+5%"};
  refused(goal, {}, "advise: expected --, and then a program with its arguments");
  refused(goal, {"/nowhere/lu_sim"}, "PROGRAM: expected a program");
  outcome const without_dashes = ovlp::base::run({{OVLP_COMMAND, "advise", "--goal", "time<=+5%", "lu_sim"}});
  CHECK(without_dashes.status == 2);
  CHECK(without_dashes.err.find("unexpected argument 'lu_sim'; a program to run comes after --") != std::string::npos);
  refused({"--goal", "fast"}, lu, "goal: expected time<=+PERCENT%");
  refused({"--goal", "time<=+5%", "--picture", "a.txt"}, lu, "--picture: expected a name that ends in .svg or .png");
  auto const with = [&](Lines const& more) {
    Lines words = lu;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refused(goal, with({"--plan", "x.json"}), "PROGRAM: expected none of --plan");
  refused(goal, with({"--remove", "1@1"}), "--plan: expected neither --remove nor --add beside it");
  refused(goal, with({"--graph", "owner"}), "got owner");
  refused(goal, program(LU_SIMULATED, {"--n", "400", "--block", "100", "--nodes", "1"}), "expected --nodes 2 or more");
  refused(goal, program(LU_SIMULATED, {"--n", "400", "--block", "400", "--nodes", "2"}), "two iterations or more");
  refused(goal, {"/bin/echo"}, "wrote no summary");
  refused(goal, {MATMUL_SIMULATED, "--n", "64", "--band", "32", "--nodes", "2"}, "two iterations or more");
}

TEST_CASE("a plan that changes something after the program's last border is refused before the run") {
  temporary_folder const folder;
  std::string const plan = folder.file("plan.json", R"({"program": "heat", "changes": [{"after": 3, "nodes": 1}]})");
  outcome const told = ovlp::base::run(
      {program(HEAT_SIMULATED, {"--rows", "16", "--columns", "16", "--sweeps", "3", "--nodes", "2", "--plan", plan})});
  CHECK(told.status == 2);
  CHECK(told.out == "");
  CHECK(told.err == "heat: --plan " + plan + ": after iteration 3: expected changes after iterations up to 2\n");
}
