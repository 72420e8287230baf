// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/text.hpp>
#include <ovlp/report/run_figures.hpp>
#include <ovlp/report/stored_files.hpp>

#include "support/process.hpp"
#include "support/run_on.hpp"
#include "support/sums.hpp"

namespace {

using namespace ovlp::testing;
using nlohmann::json;
using ovlp::report::run_figures;

std::string page_of(run_figures const& run) { return ovlp::report::make_page({run}); }

/// What a page tells of its runs, columns aside.
json told_by(std::string const& page) {
  std::string const mark = "id=\"runs\">";
  std::size_t const from = page.find(mark) + mark.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// Of a run of one graph with one leaf, on two nodes.
run_figures run_of(std::vector<ovlp::step_record> const& steps, std::string const& graph = "g") {
  ovlp::run_collector records;
  records.begin({"app", "simulated", 2, 0, {"all"}, {{graph, {{"leaf", "work", 0}}}}, {}});
  for (ovlp::step_record const& s : steps) records.step(s);
  return {"a run", {}, records.take()};
}

double sum(json const& of, char const* figure) {
  double total = 0;
  for (json const& one : of) total += one.at(figure).get<double>();
  return total;
}

}  // namespace

TEST_CASE("a report tells of a run what its summary does") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  ovlp::summary figures;
  simulate_on(3, {"--record", file}, [&](ovlp::engine_base& run) {
    run.record();
    ovlp::threads<> const master{"master", "node0"}, workers{"workers", run.nodes()};
    auto split = ovlp::split("deal", master.at(0), cut).window(4);
    auto work = ovlp::leaf("work", workers.in_turn(), [](ovlp::here<>& here, Number n) {
      here.iteration(1 + n.value / 10);
      here.kernel("count", {n.value}, [] {
        volatile double x = 1;
        for (int i = 0; i < 20000; ++i) x = x * 1.0001;
      });
      return n;
    });
    CHECK(run(split >> work >> ovlp::merge("sum", master.at(0), add), Range{0, 40}).value == 780);
    figures = run.summary();
  });
  json const told = told_by(page_of(ovlp::report::read_figures(file, "", 1))).at(0);
  CHECK(told.at("name") == "run");
  CHECK(told.at("notes").empty());
  CHECK(told.at("steps").at("count") == figures.atomic_steps);
  CHECK(sum(told.at("operations"), "steps") == static_cast<double>(figures.atomic_steps));
  CHECK(sum(told.at("operations"), "work_s") == doctest::Approx(figures.work_s));
  CHECK(sum(told.at("edges"), "messages") == static_cast<double>(figures.transfers));
  CHECK(sum(told.at("edges"), "bytes") == static_cast<double>(figures.bytes));
  CHECK(sum(told.at("edges"), "objects") >= 80);  // dealt, and worked on

  json const& call = told.at("calls").at(0);
  CHECK(call.at("efficiency") == figures.efficiency);
  REQUIRE(call.at("iterations").size() == figures.iterations.size());
  for (std::size_t i = 0; i < figures.iterations.size(); ++i) {
    json const& shown = call.at("iterations").at(i);
    CHECK(shown.at("index") == figures.iterations[i].index);
    CHECK(shown.at("work_s") == doctest::Approx(figures.iterations[i].work_s));
    CHECK(shown.at("efficiency") == figures.iterations[i].efficiency.value());
  }
  REQUIRE(call.at("windows").size() == figures.over_time.size());
  CHECK(call.at("windows").at(3).at(2) == figures.over_time[3].efficiency);
}

TEST_CASE("what an analysis has found is on the page, and without it no view of it") {
  CHECK(!told_by(page_of(run_of({}))).at(0).contains("metrics"));
  CHECK(!told_by(page_of(run_of({}))).at(0).contains("critical_path"));

  auto run = run_of({{{1, 0, 0, 0, 7, 1}, {}, 10, 12, 2, 2}, {{1, 1, 0, 0, 3, 1}, {}, 13, 14, 1, 1}});
  run.metrics = {{"load balance", 0.75, "%", "Mean work over the largest."}};
  run.critical_path = {{0, 0, 7, 10, 12}, {1, 0, 3, 13, 14}, {1, 0, 99, 14, 15}};  // the last is nowhere
  run.path_costs = {{"edge", "a >> b", 0.5}};
  json const told = told_by(page_of(run)).at(0);
  CHECK(told.at("metrics").at(0).at("value") == 0.75);
  CHECK(told.at("path_costs").at(0).at("name") == "a >> b");
  CHECK(told.at("critical_path") == json::parse("[[0, 0.0, 2.0], [1, 3.0, 4.0]]"));
}

TEST_CASE("no name ends an element of the page, or is lost because it is no UTF-8") {
  std::string const page = page_of(run_of({}, "</script><b>\xff"));
  CHECK(told_by(page).at(0).at("graphs").at(0) == "</script><b>\xef\xbf\xbd");
  CHECK(count(page, "</script><b>") == 0);
}

TEST_CASE("a step takes less than 40 bytes of a page, whatever it took") {
  std::size_t const before = page_of(run_of({})).size();
  constexpr std::size_t steps = 20'000;
  std::mt19937 random(1);
  std::exponential_distribution<double> some_s(1e5);
  std::vector<ovlp::step_record> all;
  double at_s = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    double const length_s = some_s(random);
    all.push_back({{1, static_cast<std::uint32_t>(i % 2), 0, 0, static_cast<std::uint32_t>(i % 7), 1},
                   {},
                   at_s,
                   at_s + length_s,
                   0.9 * length_s,
                   length_s * some_s(random) / 1e-4});
    at_s += length_s + some_s(random);
  }
  double const of_a_step = static_cast<double>(page_of(run_of(all)).size() - before) / steps;
  CHECK(of_a_step > 4);
  CHECK(of_a_step < 40);
}

TEST_CASE("a record of an operation that the run does not have is refused") {
  CHECK_THROWS_WITH(page_of(run_of({{{1, 0, 0, 5, 0, 0}, {}, 0, 1, 1, 1}})),
                    "a record of operation 5 of graph 0 on node0, of 2 nodes and 1 graphs");
}

TEST_CASE("what is wrong with a report is said in a line") {
  temporary_folder const folder;
  std::string const no_record = folder.file("no.sqlite", "no record"), page = folder.path() / "page.html";
  auto const outcome = shell(std::string(OVLP_COMMAND) + " report " + no_record + " -o " + page);
  CHECK(outcome.status == 1);
  CHECK(outcome.text == "ovlp: '" + no_record + "': expected a record of a run, as --record writes it\n");
  CHECK(!std::filesystem::exists(page));
  auto const names = shell(std::string(OVLP_COMMAND) + " report " + no_record + " -o " + page + " --name a --name b");
  CHECK(names.status == 1);
  CHECK(names.text == "ovlp: --name: expected one for each of 1 runs, got 2\n");

  std::string const whole = folder.path() / "whole.sqlite";
  simulate_on(1, {"--record", whole}, [&](ovlp::engine_base& run) {
    ovlp::threads<> const master{"master", "node0"};
    run(ovlp::split("deal", master.at(0), cut) >> ovlp::merge("sum", master.at(0), add), Range{0, 4});
  });
  std::string const onto = std::string(OVLP_COMMAND) + " report " + whole + " -o " + whole;
  CHECK(shell(onto).text == "ovlp: '" + whole + "': expected another file to write than the one that is read\n");
  std::string const bytes = contents(whole);
  std::string const damaged = folder.file("damaged.sqlite", bytes.substr(0, bytes.size() - 1000));
  auto const told = shell(std::string(OVLP_COMMAND) + " report " + damaged + " " + whole + " -o " + page);
  CHECK(told.status == 0);
  CHECK(told.text.find("ovlp report: " + damaged + ": ") == 0);
}
