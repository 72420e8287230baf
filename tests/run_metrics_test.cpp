// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/pop_metrics.hpp>
#include <ovlp/base/database.hpp>
#include <ovlp/records/run_recorder.hpp>

#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/sums.hpp"

namespace {

char const* const gigabit = PLATFORMS "/gigabit.json";

using namespace ovlp::testing;
using ovlp::analysis::critical_path;
using ovlp::analysis::path_activity;
using ovlp::analysis::pop_metrics;
using ovlp::base::outcome;
using ovlp::base::run;

ovlp::run_definitions const names{
    "app", "simulated", 2, 0, {"all"}, {{"the graph", {{"split", "deal", 0}, {"leaf", "work", 0}}}}, {1.0, 1.0}};

ovlp::operation_place place(std::uint32_t node, std::uint32_t operation, std::int32_t iteration = 1) {
  return {1, node, 0, operation, node, iteration};
}

/// Node 0 computes for 1 s, and what it posts takes 0.5 s to node 1, which computes for 2 s. Meanwhile node 0 goes on
/// for 2 s. The result takes 0.25 s.
void tell(ovlp::record_sink& sink, ovlp::run_definitions const& of = names, char const* kernel = "cut") {
  ovlp::object_key const given{1, 0, 0}, object{2, 0, 1}, result{1, 0, 9};
  sink.begin(of);
  for (std::uint32_t node : {0U, 1U}) sink.node({node, ovlp::node_change::launched, 0});
  sink.call({1, 0, true, 0});
  sink.kernel({place(0, 0), kernel, {}, 0, 0.75, 0.75});
  sink.step({place(0, 0), given, 0, 1, 1, 1});
  sink.post({place(0, 0), 0, object, 1, 1, 1});
  sink.send({1, ovlp::message_kind::object, 0, 1, 50, 1, object});
  sink.transfer({0, 1, 50, 1, 1.125, 0.0625, 1.375, object});
  sink.delivery({ovlp::message_kind::object, 0, 1, 1.5, object});
  sink.step({place(0, 0), {}, 1, 3, 2, 2});
  sink.step({place(1, 1, 2), object, 1.5, 3.5, 2, 2});
  sink.send({1, ovlp::message_kind::object, 1, 0, 50, 3.5, result});
  sink.delivery({ovlp::message_kind::object, 1, 0, 3.75, result});
  sink.call({1, 0, false, 3.75});
}

}  // namespace

TEST_CASE("the critical path goes through what had to wait for each other") {
  ovlp::run_collector records;
  tell(records);
  critical_path const path = ovlp::analysis::find_critical_path(records.take());
  CHECK(path.run_s() == 3.75);
  CHECK(path.length_s() == 3.75);
  std::vector<path_activity> const expected{path_activity::step,    path_activity::send, path_activity::network,
                                            path_activity::receive, path_activity::step, path_activity::message};
  std::vector<path_activity> found;
  for (auto const& piece : path.pieces) found.push_back(piece.what);
  CHECK(found == expected);
  REQUIRE(path.pieces.size() == 6);
  CHECK(path.pieces[1].posted);
  CHECK(path.pieces[1].to_operation == 1);
  CHECK(path.pieces[2].end_s - path.pieces[2].start_s == 0.25);
  CHECK(path.pieces[4].at.node == 1);
  CHECK(path.pieces[2].latency_s == 0.0625);
  REQUIRE(path.kernels.size() == 1);
  CHECK(path.kernels[0].name == "cut");
  CHECK(path.kernels[0].end_s == 0.75);
}

TEST_CASE("in a real run, too, a step that got no object goes on for what ended last on its node") {
  ovlp::run_definitions real = names;
  real.backend = "real";
  ovlp::run_collector records;
  ovlp::object_key const given{1, 0, 0}, object{2, 0, 1};
  records.begin(real);
  for (std::uint32_t node : {0U, 1U}) records.node({node, ovlp::node_change::launched, 0});
  records.call({1, 0, true, 0});
  records.step({place(0, 0), given, 0, 1, 1, 1});
  records.post({place(0, 0), 0, object, 1, 1, 1});
  ovlp::operation_place const beside{1, 0, 0, 1, 1, 1};  // in another DPS thread of the node
  records.step({beside, object, 1.125, 3, 1, 1});
  records.step({place(0, 0), {}, 3.25, 4, 0.5, 0.5});  // it waited for that, or for its call
  records.call({1, 0, false, 4});
  critical_path const path = ovlp::analysis::find_critical_path(records.take());
  std::vector<path_activity> const expected{path_activity::step, path_activity::unrecorded, path_activity::step,
                                            path_activity::unrecorded, path_activity::step};
  std::vector<path_activity> found;
  for (auto const& piece : path.pieces) found.push_back(piece.what);
  CHECK(found == expected);
  CHECK(path.length_s() == 1 + 1.875 + 0.75);
  CHECK(path.run_s() == 4);
}

TEST_CASE("a run of which no call has ended has no critical path") {
  ovlp::run_collector records;
  records.begin(names);
  records.call({1, 0, true, 0});
  CHECK_THROWS_WITH_AS(ovlp::analysis::find_critical_path(records.take()),
                       "no critical path: expected a run of which a call has ended", ovlp::error);
}

TEST_CASE("the efficiencies of the POP Centre are those of its formulas") {
  ovlp::run_collector told;
  tell(told);
  ovlp::recorded_run const run = told.take();
  auto const serial = [](double end_s, double work_s) {
    ovlp::run_collector sink;
    sink.begin(names);
    for (std::uint32_t node : {0U, 1U}) sink.node({node, ovlp::node_change::launched, 0});
    sink.call({1, 0, true, 0});
    sink.step({place(0, 0), {}, 0, end_s, work_s, work_s});
    sink.call({1, 0, false, end_s});
    return sink.take();
  };
  ovlp::recorded_run const ideal_run = serial(3, 3), reference_run = serial(4, 4);
  pop_metrics const ideal(ideal_run), reference(reference_run);
  auto const windows = pop_metrics(run).find(&ideal, &reference);
  REQUIRE(windows.size() == 3);
  auto const& all = windows[0];
  CHECK(all.work_s == 5);
  CHECK(all.node_seconds_s == 7.5);
  CHECK(all.parallel == doctest::Approx(5 / 7.5));
  CHECK(all.communication == doctest::Approx(3 / 3.75));
  CHECK(all.load_balance == doctest::Approx(2.5 / 3));
  CHECK(all.parallel == doctest::Approx(all.load_balance * all.communication));
  CHECK(*all.transfer == doctest::Approx(3 / 3.75));
  CHECK(*all.serialization == doctest::Approx(1));  // max u / time there
  CHECK(*all.computation_scaling == doctest::Approx(4.0 / 5));
  CHECK(*all.global == doctest::Approx(4 / 7.5));
  // Iteration 1 ends at 3, when 1.5 s of the second one's 2 s have been done.
  CHECK(windows[1].work_s == doctest::Approx(4.5));
  CHECK(windows[1].parallel == doctest::Approx(4.5 / 6));
  CHECK(windows[2].work_s == doctest::Approx(0.5));
  CHECK(windows[2].end_s == 3.75);
  CHECK(windows[1].work_s + windows[2].work_s == doctest::Approx(all.work_s));
}

TEST_CASE("efficiencies of a run without kernels are 0, and the reason stands beside them") {
  ovlp::run_collector idle, busy;
  idle.begin(names);
  idle.node({0, ovlp::node_change::launched, 0});
  idle.call({1, 0, true, 0});
  idle.step({place(0, 0), {}, 0, 4, 1, 0});
  idle.call({1, 0, false, 4});
  ovlp::recorded_run const idle_run = idle.take();
  for (auto const& window : pop_metrics(idle_run).find()) {
    CHECK(window.parallel == 0);
    CHECK(window.remarks == std::vector<std::string>{"no kernel took time in it, and only kernels are work"});
  }
  tell(busy);
  ovlp::recorded_run const busy_run = busy.take();
  for (auto const& window : pop_metrics(busy_run).find()) CHECK(window.remarks.empty());
}

TEST_CASE("a node that was held part of the time counts for that") {
  ovlp::run_collector records;
  records.begin(names);
  records.node({0, ovlp::node_change::launched, 0});
  records.node({1, ovlp::node_change::launched, 1});
  records.node({1, ovlp::node_change::joined, 1.5});
  records.node({1, ovlp::node_change::released, 3});
  records.call({1, 0, true, 0});
  records.step({place(0, 0), {}, 0, 4, 2, 2});
  records.step({place(1, 1), {}, 1, 3, 1.5, 1.5});
  records.call({1, 0, false, 4});
  ovlp::recorded_run const told = records.take();
  auto const run = pop_metrics(told).find().front();
  CHECK(run.node_seconds_s == 6);
  CHECK(run.parallel == doctest::Approx(3.5 / 6));
  CHECK(run.communication == doctest::Approx(0.75));
  CHECK_FALSE(run.transfer.has_value());
}

TEST_CASE("in a simulation the critical path is as long as the run") {
  for (std::uint32_t window : {0U, 1U, 3U}) {
    for (std::size_t nodes : {1U, 2U, 5U}) {
      CAPTURE(window);
      CAPTURE(nodes);
      auto const records = std::make_shared<ovlp::run_collector>();
      simulate_on(nodes, {"--execution", "partial"}, [&](ovlp::engine_base& run) {
        run.attach(records);
        run.estimate("count", 0.001);
        ovlp::threads<> const master{"master", "node0"}, workers{"workers", run.nodes()};
        auto split = ovlp::split("deal", master.at(0), cut);
        if (window > 0) split.window(window);
        auto work = ovlp::leaf("work", workers.in_turn(), [](ovlp::here<>& here, Number n) {
          here.iteration(1 + n.value % 4);
          here.kernel("count", {n.value}, [] {});
          return n;
        });
        auto merge = ovlp::merge("sum", master.at(0), add);
        CHECK(run(split >> work >> merge, Range{0, 40}).value == 780);
      });
      critical_path const path = ovlp::analysis::find_critical_path(records->take());
      CHECK(path.run_s() > 0);
      CHECK(std::abs(path.length_s() - path.run_s()) < 1e-9);
    }
  }
}

TEST_CASE("ovlp metrics says where the time of a simulation went") {
  temporary_folder const folder;
  std::string const record = folder.path() / "lu.sqlite", figures = folder.path() / "lu.json";
  REQUIRE(run({{OVLP_LU_SIMULATED, "--n", "512", "--block", "64", "--nodes", "4", "--remove", "1@3", "--platform",
                gigabit, "--execution", "partial", "--no-alloc", "--record", record}})
              .good());
  outcome const said = run({{OVLP_COMMAND, "metrics", record, "--json", figures, "--rerun"}});
  CAPTURE(said.err);
  REQUIRE(said.good());
  CHECK(said.out.find("basic LU: multiply") != std::string::npos);
  CHECK(said.out.find("iteration 7") != std::string::npos);
  nlohmann::json const all = nlohmann::json::parse(contents(figures));
  double const run_s = all["critical_path"]["run_s"];
  CHECK(run_s > 0);
  for (char const* part : {"length_s"}) CHECK(std::abs(all["critical_path"][part].get<double>() - run_s) < 1e-9);
  double activities_s = 0;
  for (auto const& a : all["critical_path"]["activities"]) activities_s += a["seconds"].get<double>();
  CHECK(std::abs(activities_s - run_s) < 1e-9);
  CHECK(all["efficiencies"].size() == 1 + 8);
  for (auto const& w : all["efficiencies"]) {
    auto const is = [&](char const* name) { return w[name].get<double>(); };
    CHECK(is("parallel") == doctest::Approx(is("load_balance") * is("communication")));
    CHECK(is("communication") == doctest::Approx(is("serialization") * is("transfer")));
    CHECK(is("transfer") > 0);
    CHECK(is("transfer") <= 1);
  }
}

TEST_CASE("nothing that a record names is run unless the user asks for it") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", mark = folder.path() / "mark";
  REQUIRE(run({{OVLP_LU_SIMULATED, "--n", "64", "--block", "32", "--platform", "gigabit", "--execution", "partial",
                "--record", record}})
              .good());
  std::string const script = folder.file("script", "#!/bin/sh\ntouch " + mark + "\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  {
    ovlp::base::database facts(record, ovlp::base::database::mode::update);
    facts.run("UPDATE fact SET value = '" + script + "' WHERE name = 'program'");
    facts.run("UPDATE fact SET value = '" + folder.path().string() + "' WHERE name = 'folder'");
  }
  std::string const out = folder.path() / "out";
  for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
           {"metrics", record},
           {"metrics", record, "--json", "-", "--reference", record},
           {"metrics", record, "--ideal", record},
           {"report", record, "-o", out + ".html"},
           {"export", record, "--to", "csv", "-o", out},
           {"export", record, "--to", "perfetto", "-o", out + ".pftrace"},
           {"export", record, "--to", "paraver", "-o", out + ".prv"},
           {"export", record, "--to", "dimemas", "-o", out + ".dim"},
           {"plot", "columns", record, "--x", "nodes", "--y", "time_s", "-o", out + ".svg"},
           {"replay", record, "--platform", "gigabit"},
           {"platform", "show", record},
           {"whatif", "--speed", "x2", "--", OVLP_LU_SIMULATED, "--platform", record},
           {"advise", "--goal", "time<=+5%", "--", OVLP_LU_SIMULATED, "--plan", record},
           {"threads", "show", record}}) {
    std::vector<std::string> command{OVLP_COMMAND};
    command.insert(command.end(), words.begin(), words.end());
    run({command});
    CAPTURE(words[0]);
    CHECK_FALSE(std::filesystem::exists(mark));
  }
  outcome const said = run({{OVLP_COMMAND, "metrics", record}});
  CHECK(said.good());
  CHECK(lines_of(said.err).size() == 1);
  CHECK(said.err.find("--rerun makes it, by running: /usr/bin/env -C " + folder.path().string() + " -- " + script +
                      " --n 64") != std::string::npos);

  outcome const asked = run({{OVLP_COMMAND, "metrics", record, "--rerun"}});
  CHECK(asked.err.starts_with("ovlp metrics: runs /usr/bin/env -C " + folder.path().string() + " -- " + script));
  CHECK(std::filesystem::exists(mark));
  outcome const given = run({{OVLP_COMMAND, "metrics", record, "--", OVLP_LU_SIMULATED, "--n", "64", "--block", "32",
                              "--execution", "partial"}});
  CAPTURE(given.err);
  CHECK(given.good());
  CHECK(given.err.starts_with("ovlp metrics: runs " + std::string(OVLP_LU_SIMULATED)));
}

TEST_CASE("names that are no UTF-8 stand in the way of no command that writes JSON") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", figures = folder.path() / "run.json";
  {
    ovlp::run_definitions strange = names;
    strange.application = "app\xff";
    strange.collections = {"all\xc3"};
    strange.graphs[0].name = "\xe2\x82";
    for (auto& operation : strange.graphs[0].operations) operation.name += "\xfe";
    auto const recorder = ovlp::make_run_recorder(record, {}, ovlp::emitters::one_thread, [](std::string const&) {});
    tell(*recorder, strange, "cut\xf0");
  }
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"metrics", record, "--json", figures},
        {"metrics", record},
        {"export", record, "--to", "perfetto", "-o", folder.path() / "run.pftrace"},
        {"export", record, "--to", "csv", "-o", folder.path() / "tables"},
        {"export", record, "--to", "paraver", "-o", folder.path() / "run.prv"}}) {
    CAPTURE(words[2]);
    std::vector<std::string> command{OVLP_COMMAND};
    command.insert(command.end(), words.begin(), words.end());
    outcome const said = run({command});
    CAPTURE(said.err);
    CHECK(said.good());
  }
  CHECK(nlohmann::json::accept(contents(figures)));
}

TEST_CASE("an efficiency above 1 has its reason beside it, and kernels take as long on the ideal network") {
  temporary_folder const folder;
  std::string const platform = folder.file("gigabit.json", R"({"name": "p", "reference_core": "any",
    "nodes": [{"count": 4, "cores": 1, "speed": 1, "launch_s": 0}],
    "network": {"model": "star", "latency_s": 5e-5, "bandwidth_Bps": 1.2e8}})");
  std::string const plan = folder.file("plan.json", R"({"program": "heat", "changes": [{"after": 3, "nodes": 2},
    {"after": 6, "nodes": 4}, {"after": 9, "nodes": 3}]})");
  std::string const record = folder.path() / "heat.sqlite", figures = folder.path() / "heat.json";
  for (std::vector<std::string> const& options : std::vector<std::vector<std::string>>{
           {"--sync", "barrier"}, {"--sync", "neighbours"}, {"--sync", "barrier", "--plan", plan}}) {
    CAPTURE(options[1]);
    CAPTURE(options.size());
    ovlp::base::command simulated{{OVLP_HEAT_SIMULATED, "--rows", "200", "--columns", "200", "--strips", "8",
                                   "--sweeps", "12", "--nodes", "4", "--platform", platform, "--record", record}};
    simulated.words.insert(simulated.words.end(), options.begin(), options.end());
    REQUIRE(run(simulated).good());  // kernels are measured
    outcome const said = run({{OVLP_COMMAND, "metrics", record, "--rerun", "--json", figures}});
    CAPTURE(said.err);
    REQUIRE(said.good());
    nlohmann::json const all = nlohmann::json::parse(contents(figures));
    CHECK(all["broken"].empty());
    CHECK(all["critical_path"]["length_s"].get<double>() ==
          doctest::Approx(all["critical_path"]["run_s"].get<double>()).epsilon(1e-9));
    std::size_t compared = 0;
    for (auto const& w : all["efficiencies"]) {
      CAPTURE(w.dump());
      for (char const* name : {"parallel", "load_balance", "communication", "serialization", "transfer"})
        CHECK((w[name].is_null() || w[name].get<double>() <= 1 + 1e-9 || !w["remarks"].empty()));
      if (!w["serialization"].is_null()) {
        ++compared;
        // Nodes do the same work in both runs, so the busiest one's fits in the other's time.
        if (options.size() == 2) CHECK(w["serialization"].get<double>() <= 1 + 1e-9);
      } else {
        CHECK(said.out.find("iterations overlap: its interval holds other work") != std::string::npos);
      }
    }
    CHECK(compared >= (options[1] == "barrier" ? 13 : 1));
  }
}

TEST_CASE("nodes that share a host's cores may use what others leave, and the reason stands beside it") {
  temporary_folder const folder;
  std::string const platform = folder.file("host.json", R"({"name": "p", "reference_core": "any", "host": {"cores": 2},
    "nodes": [{"count": 4, "cores": 2, "speed": 1, "launch_s": 0}],
    "network": {"model": "star", "latency_s": 1e-5, "bandwidth_Bps": 1e9}})");
  std::string const plan = folder.file("plan.json", R"({"program": "heat", "changes": [{"after": 3, "nodes": 1}]})");
  std::string const record = folder.path() / "heat.sqlite";
  REQUIRE(run({{OVLP_HEAT_SIMULATED, "--rows", "400", "--columns", "400", "--strips", "8", "--sweeps", "12", "--nodes",
                "4", "--platform", platform, "--plan", plan, "--record", record}})
              .good());
  outcome const said = run({{OVLP_COMMAND, "metrics", record}});
  CAPTURE(said.err);
  CHECK(said.good());
  CHECK(said.out.find("nodes of one machine share its cores: one may use what others leave") != std::string::npos);
  outcome const full = run({{"/bin/sh", "-c", "\"$0\" metrics \"$1\" >/dev/full", OVLP_COMMAND, record}});
  CHECK(full.status == 1);
  CHECK(full.err.find("standard output: cannot be written") != std::string::npos);
}

TEST_CASE("ovlp metrics refuses what it cannot answer in a line") {
  outcome const none = run({{OVLP_COMMAND, "metrics", "/no/such.sqlite"}});
  CHECK(none.status == 1);
  CHECK(none.err.find("/no/such.sqlite") != std::string::npos);
  CHECK(lines_of(none.err).size() == 1);

  temporary_folder const folder;
  std::string const two = folder.path() / "two.sqlite", three = folder.path() / "three.sqlite";
  for (auto const& [file, nodes] : {std::pair{two, "2"}, {three, "3"}})
    REQUIRE(run({{OVLP_LU_SIMULATED, "--n", "128", "--block", "64", "--nodes", nodes, "--record", file}}).good());
  outcome const other = run({{OVLP_COMMAND, "metrics", two, "--ideal", three}});
  CHECK(other.err ==
        "ovlp: --ideal: '" + three + "': expected a simulation of lu on 2 nodes, got a simulated run of lu on 3\n");
  outcome const onto = run({{OVLP_COMMAND, "metrics", two, "--json", two}});
  CHECK(onto.err == "ovlp: '" + two + "': expected another file to write than the one that is read\n");
  CHECK(run({{OVLP_COMMAND, "metrics", two, "--ideal", two}}).good());
  outcome const unnamed = run({{OVLP_LU_SIMULATED, "--record", ""}});
  CHECK(unnamed.err == "lu: --record: expected the name of a file, got ''\n");
}
