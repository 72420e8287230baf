// SPDX-License-Identifier: BSD-3-Clause
// Where the CPU time of a run goes: work, overhead and polling; what the runtime takes, as it is recorded and
// predicted; and what the states of threads take.
#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/internal/runtime_costs.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/host.hpp>
#include <ovlp/simkernel/durations.hpp>

#include "support/process.hpp"
#include "support/run_on.hpp"

namespace {

using ovlp::testing::contains;
using ovlp::testing::contents;
using ovlp::testing::temporary_folder;

ovlp::base::outcome outcome_of(std::string const& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  ovlp::base::outcome ended = ovlp::base::run({arguments});
  INFO(ended.err);
  REQUIRE(ended.good());
  return ended;
}

struct measured {
  double cpu_s;  ///< of all its processes, as the system says
  nlohmann::json summary;
};
measured really_run(temporary_folder const& folder, std::vector<std::string> arguments) {
  std::string const file = folder.path() / "summary.json";
  arguments.insert(arguments.end(), {"--summary", file});
  double const cpu_s = outcome_of(SMALL_STEPS_REAL, arguments).cpu_s;
  return {cpu_s, nlohmann::json::parse(contents(file))};
}
double accounted_s(nlohmann::json const& summary) {
  return summary.at("work_s").get<double>() + summary.at("overhead_s").get<double>() +
         summary.at("polling_s").get<double>();
}

/// Takes so much CPU time.
void compute(double cpu_s) {
  double const until_s = ovlp::base::thread_cpu_s() + cpu_s;
  while (ovlp::base::thread_cpu_s() < until_s) {
  }
}

}  // namespace

// The CPU time of a run

TEST_CASE("work, overhead and polling add up to the CPU time of all processes") {
  temporary_folder const folder;
  for (char const* nodes : {"1", "2", "3"}) {
    CAPTURE(nodes);
    // What starting and ending them takes is the same in a call of one task.
    measured const one = really_run(folder, {"--nodes", nodes, "--tasks", "1"});
    measured const many = really_run(folder, {"--nodes", nodes, "--tasks", "30000"});
    double const in_call_s = many.cpu_s - one.cpu_s;
    CAPTURE(in_call_s);
    CAPTURE(many.summary.dump());
    CHECK(accounted_s(many.summary) - accounted_s(one.summary) == doctest::Approx(in_call_s).epsilon(0.03));
  }
}

TEST_CASE("the CPU time of a call is not that of what comes before and after it") {
  ovlp::testing::really_run_on(2, {}, [](ovlp::engine_base& run) {
    ovlp::threads<> const workers{"workers", 2};
    ovlp::graph<int, int> const g = ovlp::split("cut", workers.at(0),
                                                [](int n, ovlp::out<int>& out) {
                                                  for (int i = 0; i < n; ++i) out.post(i);
                                                }) >>
                                    ovlp::leaf("work", workers.in_turn(),
                                               [](ovlp::here<>& here, int i) {
                                                 here.kernel("work", {}, [] { compute(0.2); });
                                                 return i;
                                               }) >>
                                    ovlp::merge("sum", workers.at(0), [](ovlp::in<int>& in) {
                                      int sum = 0;
                                      for (int i : in) sum += i;
                                      return sum;
                                    });
    run.record();
    run(g, 2);
    compute(0.3);
    run(g, 2);
    compute(0.3);
    ovlp::summary const figures = run.summary();
    CHECK(figures.work_s == doctest::Approx(0.4).epsilon(0.1));
    CHECK(figures.polling_s > 0);
    CHECK(figures.polling_s < 0.15);
  });
}

// What the runtime takes

TEST_CASE("what the runtime takes of a step and of an object adds up to what was measured") {
  ovlp::runtime_costs costs;
  CHECK(!costs.estimated());
  // Bursts of steps that end with objects rarely, always, and each other time; they do not agree well.
  costs.add_burst(100, 1, 210e-6);
  costs.add_burst(50, 50, 240e-6);
  costs.add_burst(200, 100, 720e-6);
  auto const both = costs.estimated();
  CHECK(both->per_step_s == doctest::Approx(2e-6).epsilon(0.1));
  CHECK(both->per_object_s == doctest::Approx(3e-6).epsilon(0.1));
  CHECK(350 * both->per_step_s + 151 * both->per_object_s == doctest::Approx(1170e-6));
}

TEST_CASE("where the bursts do not tell objects from steps, objects cost nothing, and the sum is right") {
  ovlp::runtime_costs alike, cheaper, only_objects;
  alike.add_burst(100, 50, 100e-6);
  alike.add_burst(200, 101, 200e-6);
  CHECK(alike.estimated()->per_step_s == doctest::Approx(1e-6));
  CHECK(alike.estimated()->per_object_s == 0);
  cheaper.add_burst(100, 0, 200e-6);
  cheaper.add_burst(100, 100, 100e-6);
  CHECK(cheaper.estimated()->per_step_s == doctest::Approx(1.5e-6));
  CHECK(cheaper.estimated()->per_object_s == 0);
  only_objects.add_burst(100, 0, 0);
  only_objects.add_burst(100, 100, 300e-6);
  only_objects.add_burst(100, 50, 100e-6);
  CHECK(only_objects.estimated()->per_step_s == 0);
  CHECK(150 * only_objects.estimated()->per_object_s == doctest::Approx(400e-6));
}

TEST_CASE("of what an execution thread computes, kernels and messages are not the runtime's") {
  ovlp::runtime_cost_collector all;
  ovlp::runtime_cost_meter meter(&all);
  meter.step_ended();
  meter.object_stayed();
  meter.leave_out(3);
  meter.step_ended();
  meter.tell(10, 2);
  meter.tell(11, 2);  // no step has ended: it was woken for nothing
  meter.step_ended();
  meter.tell(14, 3);
  ovlp::runtime_costs const told = all.take();
  CHECK(told.steps == 3);
  CHECK(told.objects == 1);
  CHECK(told.computed_s == 5 + 2);
  CHECK(all.take().steps == 0);
}

TEST_CASE("durations are recorded with and without other records") {
  temporary_folder const folder;
  std::string const durations = folder.path() / "d.json";
  std::vector<std::vector<std::string>> const others{
      {}, {"--summary", folder.path() / "s.json"}, {"--trace", folder.path() / "t.txt"}};
  for (std::vector<std::string> arguments : others) {
    arguments.insert(arguments.end(), {"--nodes", "2", "--tasks", "500", "--record-durations", durations});
    outcome_of(SMALL_STEPS_REAL, arguments);
    auto const read = ovlp::sim::read_durations(durations);
    REQUIRE(read.kernels.size() == 1);
    CHECK(read.kernels[0].count == 500 - 4);
    CHECK(read.kernels[0].mean_s > 0);
    REQUIRE(read.runtime);
    CHECK(read.runtime->per_step_s + read.runtime->per_object_s > 0);
  }
}

TEST_CASE("a run of small steps on one node is predicted from its durations") {
  temporary_folder const folder;
  std::string const durations = folder.path() / "d.json", summary = folder.path() / "s.json";
  std::vector<std::string> const program{"--tasks", "20000", "--execution-threads", "1"};
  auto const with = [&](std::vector<std::string> more) {
    more.insert(more.end(), program.begin(), program.end());
    return more;
  };
  outcome_of(SMALL_STEPS_REAL, with({"--record-durations", durations}));
  auto const recorded = nlohmann::json::parse(contents(durations));
  CHECK(recorded.at("runtime").at("per_step_s").get<double>() > 0);
  double const measured_s = outcome_of(SMALL_STEPS_REAL, program).cpu_s -
                            outcome_of(SMALL_STEPS_REAL, {"--tasks", "1", "--execution-threads", "1"}).cpu_s;

  auto const predicted_by = [&](std::string const& file) {
    outcome_of(SMALL_STEPS_SIM, with({"--execution", "partial", "--durations", file, "--summary", summary}));
    return nlohmann::json::parse(contents(summary));
  };
  nlohmann::json const predicted = predicted_by(durations);
  CHECK(predicted.at("overhead_from").get<std::string>() == "durations");
  CHECK(!predicted.contains("polling_s"));
  CHECK(!predicted.contains("warnings"));
  CAPTURE(measured_s);
  CHECK(predicted.at("time_s").get<double>() == doctest::Approx(measured_s).epsilon(0.3));

  // As an older version wrote it.
  nlohmann::json older = recorded;
  older.erase("runtime");
  nlohmann::json const without = predicted_by(folder.file("older.json", older.dump()));
  CHECK(without.at("overhead_from").get<std::string>() == "platform");
  CHECK(without.at("time_s").get<double>() < 0.5 * measured_s);
}

TEST_CASE("what a file says of the runtime is checked") {
  temporary_folder const folder;
  auto const read = [&](std::string const& runtime) {
    return ovlp::sim::read_durations(
        folder.file("d.json", R"({"reference_core": "any", "runtime": )" + runtime + R"(, "kernels": {}})"));
  };
  auto const good = read(R"({"per_step_s": 1e-6, "per_object_s": 2e-6, "per_wake_s": 3e-6})");
  REQUIRE(good.runtime);
  CHECK(good.runtime->per_step_s == 1e-6);
  CHECK(good.runtime->per_object_s == 2e-6);
  CHECK(good.runtime->per_wake_s == 3e-6);
  CHECK(read(R"({"per_step_s": 0, "per_object_s": 0})").runtime->per_wake_s == 0);
  for (char const* wrong : {"3", "[]", "{}", R"({"per_step_s": 1e-6})", R"({"per_step_s": -1, "per_object_s": 0})",
                            R"({"per_step_s": "1", "per_object_s": 0})", R"({"per_step_s": 1e400, "per_object_s": 0})",
                            R"({"per_step_s": 0, "per_object_s": 0, "per_message_s": 1})",
                            R"({"per_step_s": 0, "per_object_s": 0, "per_wake_s": -1})",
                            R"({"per_step_s": 0, "per_object_s": 0, "steps": -1})"}) {
    CAPTURE(wrong);
    std::string const said = ovlp::testing::thrown_by<ovlp::config_error>([&] { read(wrong); }).what();
    CHECK(contains(said, "d.json"));
    CHECK(!contains(said, "\n"));
  }
}

TEST_CASE("who is handed something while it has nothing to run takes a while to run it") {
  temporary_folder const folder;
  std::string const durations = folder.file("d.json", R"({"reference_core": "any", "kernels": {}, "runtime":
    {"per_step_s": 0, "per_object_s": 0, "per_wake_s": 0.25}})");
  ovlp::testing::simulate_on(1, {"--execution", "partial", "--durations", durations}, [](ovlp::engine_base& run) {
    ovlp::threads<> const first{"first", 1}, second{"second", 1};
    run.estimate("long", 1);
    ovlp::graph<int, int> const g = ovlp::split("begin", first.at(0),
                                                [](ovlp::here<>& here, int n, ovlp::out<int>& out) {
                                                  for (int i = 0; i < n; ++i) out.post(i);
                                                  here.kernel("long", {}, [] {});
                                                }) >>
                                    ovlp::leaf("middle", second.at(0), [](int i) { return i; }) >>
                                    ovlp::reduce("end", second.at(0), std::plus<>{});
    run.record();
    run(g, 1);  // the threads have just been started: none has to be woken for the first call
    for (int objects : {1, 2}) {
      run(g, objects);
      // Until the call begins, and until its end is known. Others have been woken meanwhile.
      CHECK(run.summary().time_s == doctest::Approx(0.25 + 1 + 0.25));
    }
  });
}

// What states take

namespace {

struct State {
  int value = 0;
};

/// A run in which states are made and taken, each in 40 ms of CPU time. `check` gets how long it took, and how much of
/// that they should have.
ovlp::testing::run_body change_states(std::function<void(double time_s, double states_s)> const& check) {
  constexpr double each_s = 0.04;
  return [check](ovlp::engine_base& run) {
    ovlp::threads<> const master{"master", "node0"};
    ovlp::threads<State> places{"places", ovlp::mapping("node0"), [&](std::size_t index) {
                                  if (index > 0) compute(each_s);
                                  return State{};
                                }};
    places.on_leave([&](std::size_t, State&) { compute(each_s); });
    ovlp::graph<int, int> const visit =
        ovlp::everywhere("visit", places, [](ovlp::here<State>& here, int) { return ++here.state.value; }) >>
        ovlp::reduce("sum", master.at(0), std::plus<>{});
    ovlp::graph<int, int> const changes{"changes",
                                        ovlp::leaf("change", master.at(0), [&visit, &places](ovlp::here<>& here, int) {
                                          int functions = 0;
                                          here.resize(places, 3);
                                          functions += 2;
                                          here.call(visit, 0);
                                          here.resize(places, 1);
                                          functions += 2;
                                          here.resize(places, 2);  // when they have left
                                          functions += 1;
                                          here.call(visit, 0);
                                          return functions;
                                        })};
    run.add(visit);
    run.record();
    int const functions = run(changes, 0);
    check(run.summary().time_s, functions * each_s);
  };
}

}  // namespace

TEST_CASE("what an operation has done when it says an iteration belongs to the one before") {
  constexpr double each_s = 0.02;
  ovlp::testing::run_on(1, [](ovlp::engine_base& run) {
    ovlp::threads<> const master{"master", "node0"};
    ovlp::graph<int, int> const g = ovlp::leaf("loop", master.at(0), [](ovlp::here<>& here, int last) {
      for (int k = 1; k <= last; ++k) {
        here.iteration(k);
        here.kernel("accounts.compute", {1}, [] { compute(each_s); });
      }
      return last;
    });
    run.record();
    CHECK(run(g, 4) == 4);
    auto const figures = run.summary();
    REQUIRE(figures.iterations.size() == 4);
    for (auto const& iteration : figures.iterations) {
      CAPTURE(iteration.index);
      CHECK(iteration.work_s > 0.9 * each_s);
      CHECK(iteration.work_s < 1.9 * each_s);
    }
    CHECK(figures.atomic_steps == 4);
  });
}

TEST_CASE("what makes a state, and what takes one that leaves, takes its time, one at a time on a node") {
  ovlp::testing::run_on(1, change_states([](double time_s, double states_s) { CHECK(time_s > 0.95 * states_s); }));
}

TEST_CASE("direct execution charges what states take at the host's speed") {
  ovlp::testing::simulate_on(1, {"--host-speed", "10"}, change_states([](double time_s, double states_s) {
                               CHECK(time_s > 9.5 * states_s);
                               CHECK(time_s < 15 * states_s);
                             }));
}

TEST_CASE("partial execution reads no clock for states") {
  ovlp::testing::simulate_on(1, {"--execution", "partial"},
                             change_states([](double time_s, double) { CHECK(time_s < 0.005); }));
}
