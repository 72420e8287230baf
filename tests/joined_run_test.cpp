// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/records/run_recorder.hpp>
#include <ovlp/store/clock_fit.hpp>
#include <ovlp/store/open_run.hpp>

#include "support/process.hpp"
#include "support/seed.hpp"

namespace {

using namespace ovlp::testing;
using ovlp::base::run;
using ovlp::store::clock_bound;
using ovlp::store::clock_correction;
using ovlp::store::fit_clock;

/// What a clock shows at a time of the run.
struct clock_model {
  double offset_s, drift;
  double operator()(double at_s) const { return (at_s - offset_s) / (1 + drift); }
};

/// As long as a run lives.
ovlp::run_definitions const& names_of(std::uint32_t node) {
  static std::vector<ovlp::run_definitions> const all = [] {
    std::vector<ovlp::run_definitions> made;
    for (std::uint32_t n : {0U, 1U, 2U}) {
      made.push_back({"app", "real", 3, n, {"all"}, {{"the graph", {{"leaf", "work", 0}}}}, {0, 0, 0}});
      made.back().capacities[n] = n + 1;
    }
    return made;
  }();
  return all.at(node);
}

void refuse(std::string const& why) { FAIL(why); }

std::shared_ptr<ovlp::record_sink> part(std::string const& file, std::string const& clock,
                                        std::string const& arguments = "[\"--n\",\"3\"]") {
  return ovlp::make_run_recorder(file,
                                 {{"clock", clock},
                                  {"arguments", arguments},
                                  {"version", "1"},
                                  {"folder", "/"},
                                  {"program", "p"},
                                  {"a", ""},
                                  {"b", ""},
                                  {"c", ""},
                                  {"d", ""},
                                  {"e", ""}},
                                 ovlp::emitters::one_thread, refuse);
}

/// Times of objects.
struct object_times final : ovlp::record_sink {
  using message = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  template <class Record>
  static message of(Record const& r) {
    return {r.object.group, r.object.place, r.object.operation, r.destination};
  }
  void send(ovlp::send_record const& r) override {
    if (r.kind == ovlp::message_kind::object) sent_s[of(r)] = r.at_s;
  }
  void delivery(ovlp::delivery_record const& r) override {
    if (r.kind == ovlp::message_kind::object) delivered_s[of(r)] = r.at_s;
  }
  void step(ovlp::step_record const& r) override { ends_s.push_back(r.end_s); }
  std::map<message, double> sent_s, delivered_s;
  std::vector<double> ends_s;
};

}  // namespace

TEST_CASE("a clock is found from messages in both directions") {
  std::mt19937_64 random(new_seed());
  std::exponential_distribution<double> more_s(1e4);
  double const least_s = 5e-5;
  for (double const drift : {0.0, 4e-5, -8e-5}) {
    clock_model const clock{12.5, drift};
    std::vector<clock_bound> at_least, at_most;
    for (int i = 0; i < 3000; ++i) {
      double const sent_s = i * 0.01, delivered_s = sent_s + least_s + more_s(random);
      if (i % 2 == 0) {  // to the node
        at_least.push_back({clock(delivered_s), sent_s - clock(delivered_s)});
      } else {
        at_most.push_back({clock(sent_s), delivered_s - clock(sent_s)});
      }
    }
    clock_correction const found = fit_clock(at_least, at_most);
    CHECK(found.error_s > 0);
    CHECK(found.error_s < 4 * least_s);
    CHECK(found.drift == doctest::Approx(drift).epsilon(1e-5 / std::max(1e-9, std::abs(drift))));
    for (double at_s : {0.0, 10.0, 30.0}) CHECK(std::abs(found(clock(at_s)) - at_s) < 2 * least_s);
    for (clock_bound const& b : at_least) CHECK(found(b.at_s) >= b.at_s + b.correction_s);
    for (clock_bound const& b : at_most) CHECK(found(b.at_s) <= b.at_s + b.correction_s);
  }
}

TEST_CASE("a clock of which messages say little is corrected by what they say") {
  CHECK(std::isinf(fit_clock({}, {}).error_s));
  clock_correction const one_way = fit_clock({{1, 3}, {2, 4}}, {});
  CHECK(one_way(2) == 6);
  CHECK(std::isinf(one_way.error_s));
  CHECK(fit_clock({{1, 3}}, {{1, 2}}).error_s == doctest::Approx(-0.5));  // no clock is like this
}

TEST_CASE("parts become one record, in which no object arrives before it was sent") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  clock_model const clocks[3] = {{0, 0}, {5, 3e-5}, {-2, -5e-5}};
  std::mt19937_64 random(new_seed());
  std::exponential_distribution<double> more_s(1e4);
  std::vector<double> true_ends_s;
  {
    std::vector<std::shared_ptr<ovlp::record_sink>> parts;
    for (std::uint32_t node : {0U, 1U, 2U}) {
      std::string const name = node == 0 ? file : file + ".node" + std::to_string(node);
      parts.push_back(part(name, "clock " + std::to_string(node)));
      parts.back()->begin(names_of(node));
    }
    // Node 2 talks to node 1 only.
    for (std::uint32_t i = 0; i < 2000; ++i) {
      std::uint32_t const low = i / 2 % 2, source = low + i % 2, destination = low + 1 - i % 2;
      double const sent_s = i * 0.01, delivered_s = sent_s + 1e-5 + more_s(random);
      ovlp::object_key const object{1, i, 0};
      parts[source]->send({1, ovlp::message_kind::object, source, destination, 8, clocks[source](sent_s), object});
      parts[destination]->delivery(
          {ovlp::message_kind::object, source, destination, clocks[destination](delivered_s), object});
      ovlp::operation_place const at{1, destination, 0, 0, destination, 0};
      double const end_s = delivered_s + 0.001;
      true_ends_s.push_back(end_s);
      parts[destination]->step(
          {at, object, clocks[destination](delivered_s), clocks[destination](end_s), 0.001, 0.001});
    }
    for (auto const& p : parts) p->flush();
  }
  CHECK(ovlp::parts_of(file).size() == 2);
  auto const joined = ovlp::open_run(file);
  CHECK(ovlp::parts_of(file).empty());
  CHECK(joined->complete());
  CHECK(joined->definitions().capacities == std::vector<double>{1, 2, 3});
  object_times times;
  CHECK(joined->read(times) == "");
  REQUIRE(times.sent_s.size() == 2000);
  REQUIRE(times.delivered_s.size() == 2000);
  for (auto const& [object, sent_s] : times.sent_s) {
    CHECK(times.delivered_s.at(object) >= sent_s);
    CHECK(std::abs(sent_s - std::get<1>(object) * 0.01) < 2e-4);
  }
  REQUIRE(times.ends_s.size() == true_ends_s.size());
  CHECK(std::is_sorted(times.ends_s.begin(), times.ends_s.end()));
  auto const said = nlohmann::json::parse(joined->about().at("clocks"));
  REQUIRE(said.size() == 2);
  CHECK(said[0]["node"] == 1);  // it has talked to node 0
  CHECK(said[0]["error_s"].get<double>() > 0);
}

TEST_CASE("the same clock is not corrected, and what has not ended is not complete") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  {
    auto const first = part(file, "same");
    first->begin(names_of(0));
    auto const second = part(file + ".node1.1", "same");
    second->begin(names_of(1));
    ovlp::object_key const object{1, 1, 0};
    first->send({1, ovlp::message_kind::object, 0, 1, 8, 2, object});
    second->delivery({ovlp::message_kind::object, 0, 1, 2.5, object});
    first->flush();
    second->flush();
    second->wait({{1, 1, 0, 0, 1, 0}, ovlp::wait_cause::object, 1, 2});
  }
  auto const joined = ovlp::open_run(file);
  CHECK_FALSE(joined->complete());
  CHECK(joined->about().at("incomplete") == "node1");
  CHECK(joined->about().at("clocks") == "[]");
  object_times times;
  joined->read(times);
  CHECK(times.delivered_s.begin()->second == 2.5);
}

TEST_CASE("a part of another run is refused, and nothing is lost") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  for (auto const& [name, node, arguments] :
       {std::tuple{file, 0U, "[\"a\"]"}, std::tuple{file + ".node1", 1U, "[\"b\"]"}}) {
    auto const to = part(name, "", arguments);
    to->begin(names_of(node));
    to->flush();
  }
  CHECK_THROWS_WITH_AS(ovlp::open_run(file), doctest::Contains("run.sqlite.node1': a part of another run"),
                       ovlp::config_error);
  CHECK(ovlp::parts_of(file).size() == 1);
}

#ifdef OVLP_LU_REAL
TEST_CASE("parts of a run whose node 0 has not said what it is stay as they are") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.sqlite";
  part(file, "a")->flush();  // no begin
  auto const other = part(file + ".node1", "a");
  other->begin(names_of(1));
  other->flush();
  CHECK_THROWS_WITH_AS(ovlp::open_run(file), doctest::Contains("expected node 0's part to say what the run is"),
                       ovlp::config_error);
  CHECK(std::filesystem::exists(file + ".node1"));
}

TEST_CASE("a real run leaves one record of all its nodes, also of those that were released") {
  temporary_folder const folder;
  std::string const file = folder.path() / "lu.sqlite";
  REQUIRE(run({{OVLP_LU_REAL, "--n", "64", "--block", "32", "--record", file + ".node7"}}).good());  // an earlier run
  std::string const other = folder.file("lu.sqlite.node8", "no record");
  auto const ended = run({{OVLP_LU_REAL, "--n", "256", "--block", "32", "--nodes", "3", "--column-nodes", "2",
                           "--remove", "1@3", "--record", file}});
  CAPTURE(ended.err);
  REQUIRE(ended.good());
  CHECK(ovlp::parts_of(file).empty());
  CHECK_FALSE(std::filesystem::exists(file + ".node7"));
  CHECK(contents(other) == "no record");
  auto const stored = ovlp::open_run(file);
  CHECK(stored->complete());
  object_times times;
  CHECK(stored->read(times) == "");
  CHECK(times.sent_s.size() > 0);
  CHECK(times.sent_s.size() == times.delivered_s.size());
  for (auto const& [object, sent_s] : times.sent_s) CHECK(times.delivered_s.at(object) >= sent_s);
}

namespace {

/// Steps in the order of their ends, as a simulation has them.
struct ordered_steps final : ovlp::record_sink {
  void step(ovlp::step_record const& r) override { steps.push_back(r); }
  void node(ovlp::node_record const& r) override { nodes.push_back(r); }
  void call(ovlp::call_record const& r) override { (r.begins ? calls[r.call].first : calls[r.call].second) = r.at_s; }
  std::vector<ovlp::step_record> steps;
  std::vector<ovlp::node_record> nodes;
  std::map<std::uint64_t, std::pair<double, double>> calls;  ///< begin and end
};

}  // namespace

TEST_CASE("a real run knows the efficiency that its record tells") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", summary = folder.path() / "summary.json",
                    csv = folder.path() / "efficiency.csv";
  auto const ended = run({{OVLP_LU_REAL, "--n", "384", "--block", "32", "--nodes", "3", "--column-nodes", "2",
                           "--remove", "1@4", "--record", record, "--summary", summary, "--efficiency", csv}});
  REQUIRE(ended.status == 0);
  auto const told = nlohmann::json::parse(contents(summary));

  auto const stored = ovlp::open_run(record);
  ordered_steps all;
  stored->read(all);
  std::ranges::stable_sort(all.steps, {}, &ovlp::step_record::end_s);
  ovlp::analysis::dynamic_efficiency efficiency(stored->definitions().capacities);
  for (auto const& r : all.nodes) efficiency.node(r);
  for (auto const& r : all.steps) efficiency.step(r);
  auto const factorization = std::ranges::find_if(all.steps, [](auto const& r) { return r.at.iteration > 0; })->at.call;
  auto const [begun_s, ended_s] = all.calls.at(factorization);
  auto const expected = efficiency.take(factorization, begun_s, ended_s);

  CHECK(told["efficiency"].get<double>() > 0);
  CHECK(told["efficiency"].get<double>() <= 1);
  // Of a clock that has run for days, as seconds, a double knows 1e-11; what is measured are milliseconds.
  constexpr double precision = 1e-7;
  CHECK(told["efficiency"].get<double>() == doctest::Approx(expected.efficiency).epsilon(precision));
  REQUIRE(told["iterations"].size() == expected.iterations.size());
  for (std::size_t i = 0; i < expected.iterations.size(); ++i) {
    auto const& one = told["iterations"][i];
    CAPTURE(i);
    CHECK(one["efficiency"].get<double>() == doctest::Approx(*expected.iterations[i].efficiency).epsilon(precision));
    // Bins of work are as wide as a 4096th of the call, at each end of an interval.
    double const length_s = one["interval_end_s"].get<double>() - one["interval_start_s"].get<double>();
    double const unknown = 2 * told["time_s"].get<double>() / 4096 / length_s;
    CHECK(std::abs(one["interval_efficiency"].get<double>() - *expected.iterations[i].interval_efficiency) <= unknown);
  }
  REQUIRE(told["over_time"].size() == expected.windows.size());
  for (std::size_t i = 0; i < expected.windows.size(); ++i)
    CHECK(std::abs(told["over_time"][i]["efficiency"].get<double>() - expected.windows[i].efficiency) < 0.03);
  CHECK(ovlp::testing::lines_of(contents(csv)).size() > expected.iterations.size());
}

TEST_CASE("a real run that keeps sums has those of all its nodes") {
  temporary_folder const folder;
  std::string const record = folder.path() / "run.sqlite", summary = folder.path() / "summary.json";
  auto const ended = run({{OVLP_LU_REAL, "--n", "256", "--block", "32", "--nodes", "3", "--column-nodes", "2",
                           "--remove", "1@3", "--record", record, "--record-only", "nodes", "--summary", summary}});
  CAPTURE(ended.err);
  REQUIRE(ended.good());
  CHECK(ovlp::parts_of(record).empty());
  auto const told = nlohmann::json::parse(contents(summary));
  auto const stored = ovlp::open_run(record);
  CHECK(stored->complete());
  ovlp::run_totals const totals = stored->totals();
  REQUIRE(totals.nodes.size() == 3);
  for (auto const& of_node : totals.nodes) CHECK(!of_node.bins_s.empty());
  for (auto const& [call, of] : totals.calls) {
    if (of.iterations.empty()) continue;  // not the factorization
    CHECK(of.iterations.size() == told["iterations"].size());
    for (auto const& i : told["iterations"])
      CHECK(of.iterations.at(i["index"]).work_s == doctest::Approx(i["work_s"].get<double>()));
    CHECK(of.over_time.between(-1e9, 1e9) == doctest::Approx(told["work_s"].get<double>()));
  }
}
#endif
