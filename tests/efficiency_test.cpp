// SPDX-License-Identifier: BSD-3-Clause
// Dynamic efficiency of records that are made by hand.
#include "support/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <ovlp/analysis/dynamic_efficiency.hpp>

namespace {

using ovlp::analysis::dynamic_efficiency;

ovlp::step_record step(std::int32_t iteration, double start_s, double end_s, double work_s) {
  ovlp::step_record made{};
  made.at.call = 1;
  made.at.iteration = iteration;
  made.start_s = start_s;
  made.end_s = end_s;
  made.work_s = work_s;
  return made;
}

}  // namespace

TEST_CASE("efficiencies by iteration, by interval and over time, computed by hand") {
  dynamic_efficiency sums({1, 2});  // node 1 has two reference cores
  sums.node({0, ovlp::node_change::launched, 0});
  sums.node({1, ovlp::node_change::launched, 0});
  sums.step(step(1, 0, 4, 4));
  sums.step(step(2, 2, 6, 2));  // two of its four seconds in the first interval
  sums.node({1, ovlp::node_change::released, 6});
  sums.step(step(2, 6, 8, 2));
  auto const report = sums.take(1, 0, 10, 2);

  // A: 3 until 6, then 1.
  CHECK(report.efficiency == doctest::Approx(8.0 / (3 * 6 + 4)));
  REQUIRE(report.iterations.size() == 2);
  CHECK(report.iterations[0].efficiency.value() == doctest::Approx(4.0 / 12));
  CHECK(report.iterations[1].efficiency.value() == doctest::Approx(4.0 / (3 * 4 + 2)));
  CHECK(report.iterations[0].interval_efficiency.value() == doctest::Approx(5.0 / 12));
  CHECK(report.iterations[1].interval_efficiency.value() == doctest::Approx(3.0 / (3 * 2 + 4)));

  // Nodes: two until 6, then one. What came or went at the border itself is not of the iteration.
  CHECK(report.iterations[0].nodes == 2);
  CHECK(report.iterations[1].nodes == doctest::Approx((2 * 4 + 2) / 6.0));
  CHECK(sums.nodes_held(6, 10) == 1);
  CHECK(sums.nodes_held(4, 6) == 2);
  CHECK(sums.nodes_held(6, 6) == 1);

  // Windows of 2 s, one each second.
  std::vector<double> const expected{2.0 / 6, 2.5 / 6, 3.0 / 6, 2.0 / 6, 1.0 / 6, 1.5 / 4, 2.0 / 2, 1.0 / 2, 0};
  REQUIRE(report.windows.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(report.windows[i].start_s == doctest::Approx(static_cast<double>(i)));
    CHECK(report.windows[i].end_s == doctest::Approx(static_cast<double>(i) + 2));
    CHECK(report.windows[i].efficiency == doctest::Approx(expected[i]).epsilon(1e-3));
    CHECK(report.windows[i].nodes == (i <= 4 ? 2 : i == 5 ? 1.5 : 1));
  }
}

TEST_CASE("an interval that is empty has no efficiency") {
  dynamic_efficiency sums({1});
  sums.node({0, ovlp::node_change::launched, 0});
  sums.step(step(2, 1, 2, 1));  // iteration 2 ends before iteration 1
  sums.step(step(1, 0, 3, 1));
  sums.step(step(3, 3, 4, 1));
  auto const report = sums.take(1, 0, 4);
  REQUIRE(report.iterations.size() == 3);
  CHECK(report.iterations[1].efficiency.value() == doctest::Approx(1));
  CHECK_FALSE(report.iterations[1].interval_efficiency.has_value());
  CHECK(report.iterations[2].interval_efficiency.value() == doctest::Approx(1));
}

TEST_CASE("a step that begins before the first that ends does its work when it does it") {
  dynamic_efficiency sums({1, 1});
  for (std::uint32_t node : {0U, 1U}) sums.node({node, ovlp::node_change::launched, 0});
  sums.step(step(0, 9, 9.5, 0.5));
  sums.step(step(0, 0, 10, 10));
  auto const report = sums.take(1, 0, 10, 2);
  REQUIRE(report.windows.size() == 9);
  for (auto const& w : report.windows)
    CHECK(w.efficiency == doctest::Approx(w.end_s > 9.5 ? 0.625 : 0.5).epsilon(2e-3));
}

TEST_CASE("windows and intervals that divide a call have, weighted by what was held, the call's efficiency") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const number = [&](double limit) { return std::uniform_real_distribution<double>(0, limit)(random); };
  for (int round = 0; round < 20; ++round) {
    dynamic_efficiency sums({1, 1, 1});
    double const begin_s = 100 + number(10);
    for (std::uint32_t const n : {0u, 1u, 2u}) sums.node({n, ovlp::node_change::launched, begin_s});
    std::vector<ovlp::step_record> steps;
    double last_s = begin_s;
    for (int i = 0; i < 500; ++i) {
      double const start_s = begin_s + number(1000), length_s = number(round % 2 == 0 ? 0.5 : 200);
      steps.push_back(step(1 + i / 50, start_s, start_s + length_s, number(length_s)));
      last_s = std::max(last_s, start_s + length_s);
    }
    std::sort(steps.begin(), steps.end(), [](auto const& a, auto const& b) { return a.end_s < b.end_s; });
    for (auto const& s : steps) sums.step(s);
    auto const report = sums.take(1, begin_s, last_s);
    REQUIRE(report.windows.size() == 49);
    double by_window = 0, by_interval = 0;
    for (std::size_t i = 0; i < report.windows.size(); i += 2) by_window += report.windows[i].efficiency / 25;
    for (auto const& i : report.iterations) {
      by_interval += i.interval_efficiency.value_or(0) * (i.interval_end_s - i.interval_start_s) / (last_s - begin_s);
    }
    CHECK(by_window == doctest::Approx(report.efficiency).epsilon(1e-3));
    CHECK(by_interval == doctest::Approx(report.efficiency).epsilon(1e-9));
  }
}
