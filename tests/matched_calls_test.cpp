// SPDX-License-Identifier: BSD-3-Clause
// Which calls of two runs are compared.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/analysis/pop_metrics.hpp>

namespace {

using ovlp::analysis::call_list;
using ovlp::analysis::call_name;
using ovlp::analysis::match_calls;
using ovlp::analysis::matched_calls;
using ovlp::analysis::pop_metrics;

constexpr double never = -1;
struct made {
  std::string graph;
  double start_s, end_s;
};

/// Of a run with these graphs, in this order: their numbers, and those of calls, mean nothing in another run.
ovlp::run_definitions definitions(std::vector<std::string> const& graphs) {
  ovlp::run_definitions names{"app", "real", 1, 0, {"all"}, {}, {1}};
  for (std::string const& graph : graphs) names.graphs.push_back({graph, {{"leaf", "work", 0}}});
  return names;
}

template <class Sink>
void emit(Sink& to, std::vector<std::string> const& graphs, std::vector<made> const& calls, std::uint64_t first = 1) {
  to.begin(definitions(graphs));
  to.node({0, ovlp::node_change::launched, 0});
  for (made const& m : calls) {
    auto const graph = static_cast<std::uint32_t>(std::ranges::find(graphs, m.graph) - graphs.begin());
    to.call({first, graph, true, m.start_s});
    // Half of the time is work.
    if (m.end_s != never) to.step({{first, 0, graph, 0, 0, 1}, {}, m.start_s, m.end_s, 0, (m.end_s - m.start_s) / 2});
    if (m.end_s != never) to.call({first, graph, false, m.end_s});
    ++first;
  }
}

std::vector<ovlp::analysis::run_call> calls(std::vector<std::string> const& graphs, std::vector<made> const& of,
                                            std::uint64_t first = 1) {
  call_list list;
  emit(list, graphs, of, first);
  return list.all();
}

}  // namespace

TEST_CASE("calls are matched by their graph's name and which call of it they are, in whatever order") {
  matched_calls const found = match_calls({
      calls({"fill", "factor", "sum"}, {{"fill", 0, 1}, {"factor", 1, 3}, {"factor", 3, 4}, {"sum", 4, 5}}),
      calls({"factor", "other"}, {{"factor", 0, 2}, {"other", 2, 3}, {"factor", 3, 4}}, 1000),
  });
  CHECK(found.differ());
  CHECK((found.common == std::vector<call_name>{{"factor", 1}, {"factor", 2}}));
  CHECK((found.compared == found.common));
  CHECK((found.others == std::vector<std::vector<call_name>>{{{"fill", 1}, {"sum", 1}}, {{"other", 1}}}));
  CHECK(
      found.note({"measured", "predicted"}) ==
      "compared is what all runs have called: factor, factor 2; measured also has fill, sum; predicted also has other");
}

TEST_CASE("a call that has no result in one of the runs is common to them, and not compared") {
  matched_calls const found =
      match_calls({calls({"factor"}, {{"factor", 0, 2}}), calls({"factor"}, {{"factor", 0, never}})});
  CHECK((found.common == std::vector<call_name>{{"factor", 1}}));
  CHECK(found.compared.empty());
  CHECK(found.note({"a", "b"}) ==
        "no call is in all runs, and has ended there: nothing is compared; a also has factor; b also has factor");
}

TEST_CASE("runs with the same calls need no word, and a single run neither") {
  auto const one = calls({"g"}, {{"g", 0, 2}, {"g", 2, 3}}), other = calls({"h", "g"}, {{"g", 5, 6}, {"g", 7, 8}});
  CHECK_FALSE(match_calls({one, other}).differ());
  CHECK(match_calls({one, other}).note({"a", "b"}).empty());
  CHECK_FALSE(match_calls({calls({"g"}, {{"g", 0, never}})}).differ());
  CHECK(match_calls({}).common.empty());
}

TEST_CASE("efficiencies beside an ideal and a reference run compare what both have called") {
  ovlp::run_collector records, of_ideal, of_reference;
  emit(records, {"fill", "factor"}, {{"fill", 0, 10}, {"factor", 10, 14}});
  emit(of_ideal, {"factor"}, {{"factor", 0, 3}}, 77);
  emit(of_reference, {"factor", "sum"}, {{"factor", 0, 2}, {"sum", 2, 100}}, 99);
  ovlp::recorded_run const here = records.take(), ideal_run = of_ideal.take(), reference_run = of_reference.take();
  pop_metrics const ideal(ideal_run), reference(reference_run);
  auto const windows = pop_metrics(here).find(&ideal, &reference);
  auto const of = [&](std::uint64_t call, std::int32_t iteration) {
    for (auto const& w : windows)
      if (w.call == call && w.iteration == iteration) return w;
    FAIL("no such window");
    return windows.front();
  };
  CHECK(of(0, 0).transfer.value() == doctest::Approx(3.0 / 4));             // node-seconds of factor in both
  CHECK(of(0, 0).computation_scaling.value() == doctest::Approx(1.0 / 2));  // its work
  CHECK(of(2, 1).transfer.value() == doctest::Approx(3.0 / 4));
  CHECK_FALSE(of(1, 1).transfer.has_value());  // fill is in one of them only
  CHECK_FALSE(of(1, 1).computation_scaling.has_value());
}
