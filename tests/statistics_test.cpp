// SPDX-License-Identifier: BSD-3-Clause
// Figures of calls: how they add up, and how they are written.
#include <ovlp/analysis/efficiency_csv.hpp>
#include <ovlp/runtime/internal/statistics.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "support/process.hpp"
#include "support/seed.hpp"

namespace {

using ovlp::testing::contents;
using ovlp::testing::temporary_folder;

ovlp::kernel_record kernel(std::uint64_t call, std::string_view name, std::span<std::int64_t const> sizes,
                           double work_s, std::uint32_t thread = 0) {
  return {{call, 0, 0, 0, thread, 0}, name, sizes, 0, 0, work_s};
}

/// Of a run whose only graph has one operation.
void begin(ovlp::statistics_sink& sink) {
  sink.begin({"test", "real", 1, 0, {"workers"}, {{"graph", {{"leaf", "work", 0}}}}, {1}});
}

ovlp::summary figures_with(std::vector<ovlp::iteration_summary> iterations) {
  ovlp::summary made;
  made.iterations = std::move(iterations);
  made.simulation.emplace();
  return made;
}

/// What write_durations() writes of a run on so many nodes.
nlohmann::json written_durations(ovlp::call_statistics const& all, std::size_t nodes) {
  temporary_folder const folder;
  std::string const file = folder.path() / "d.json";
  ovlp::write_durations(file, all, "any", nodes, 0, false);
  return nlohmann::json::parse(contents(file));
}

}  // namespace

TEST_CASE("durations of as many sizes as there are kernels add up in moments") {
  ovlp::call_statistics all;
  for (int node = 0; node < 2; ++node) {
    ovlp::statistics_sink sink;
    begin(sink);
    for (std::int64_t size = 0; size < 100'000; ++size) {
      sink.kernel(kernel(1 + static_cast<std::uint64_t>(size % 3), "sort", std::array{size}, 2));
    }
    all.add(sink.take(ovlp::all_calls));
  }
  CHECK(all.kernels.at("sort").size() == 100'000);
  CHECK(all.kernels.at("sort").at({4711}).at(0).firsts.count == 2);
  CHECK(all.kernels.at("sort").at({4711}).at(0).firsts.mean_s() == 2);
}

TEST_CASE("durations belong to all calls, and to none of them") {
  ovlp::statistics_sink sink;
  begin(sink);
  for (std::uint64_t const call : {1u, 2u}) {
    sink.kernel(kernel(call, "sort", std::array<std::int64_t, 1>{7}, static_cast<double>(call)));
  }
  CHECK(sink.take(1).kernels.empty());
  auto const sorted = sink.take(ovlp::all_calls).kernels.at("sort").at({7}).at(0);
  CHECK(sorted.firsts.count == 1);
  CHECK(sorted.others.count == 1);
}

TEST_CASE("the first kernel of each name, sizes and thread is kept apart") {
  ovlp::statistics_sink sink;
  begin(sink);
  for (double work_s : {8.0, 1.0, 2.0}) {
    for (std::uint32_t thread : {0u, 1u}) {
      sink.kernel(kernel(1, "sort", std::array<std::int64_t, 1>{7}, work_s, thread));
      sink.kernel(kernel(1, "sort", std::array<std::int64_t, 2>{7, 7}, work_s, thread));
      sink.kernel(kernel(1, "swap", std::array<std::int64_t, 1>{7}, work_s, thread));
    }
  }
  for (auto const& [name, by_sizes] : sink.take(ovlp::all_calls).kernels) {
    for (auto const& [sizes, of_nodes] : by_sizes) {
      auto const& d = of_nodes.at(0);
      CHECK(d.firsts.count == 2);
      CHECK(d.firsts.mean_s() == 8);
      CHECK(d.others.count == 4);
      CHECK(d.others.mean_s() == 1.5);
    }
  }
}

TEST_CASE("what is written of kernels and of nodes adds up to what was measured of each") {
  std::mt19937_64 random{ovlp::testing::new_seed()};
  std::uniform_real_distribution<double> draw_s(0.5, 2);
  std::uniform_int_distribution<std::uint64_t> draw_count(0, 5);
  constexpr std::size_t nodes = 4, sizes = 6;
  ovlp::call_statistics all;
  std::array<double, nodes> of_node_s{};
  std::array<double, sizes> of_size_s{};
  std::array<std::array<double, nodes>, sizes> counts{};
  for (std::size_t k = 0; k < sizes; ++k) {
    for (std::size_t n = 0; n < nodes; ++n) {
      for (std::uint64_t left = k == n ? 1 : draw_count(random); left > 0; --left) {  // each does some
        double const work_s = draw_s(random) * (n == 0 ? 3 : 1);
        all.kernels["sort"][{static_cast<std::int64_t>(k)}][static_cast<ovlp::node_id>(n)].others.add(
            {1, work_s, work_s * work_s});
        of_node_s.at(n) += work_s;
        of_size_s.at(k) += work_s;
        ++counts.at(k).at(n);
      }
    }
  }
  auto const written = written_durations(all, nodes);
  REQUIRE(written.at("nodes").size() == nodes);
  std::array<double, nodes> charged_on_s{};
  for (auto const& entry : written.at("kernels").at("sort")) {
    std::size_t const k = entry.at("sizes").at(0).get<std::size_t>();
    double charged_s = 0;
    for (std::size_t n = 0; n < nodes; ++n) {
      double const one_s = entry.at("mean_s").get<double>() * written.at("nodes").at(n).at("relative").get<double>();
      charged_s += counts.at(k).at(n) * one_s;
      charged_on_s.at(n) += counts.at(k).at(n) * one_s;
    }
    CHECK(charged_s == doctest::Approx(of_size_s.at(k)).epsilon(1e-9));
  }
  for (std::size_t n = 0; n < nodes; ++n) CHECK(charged_on_s.at(n) == doctest::Approx(of_node_s.at(n)).epsilon(1e-9));
}

TEST_CASE("of kernels that no two nodes share, nothing is said of nodes but that they are alike") {
  ovlp::call_statistics all;
  all.kernels["sort"][{1}][0].others.add({2, 2, 2});
  all.kernels["sort"][{2}][1].others.add({1, 5, 25});
  auto const written = written_durations(all, 3);
  for (auto const& node : written.at("nodes")) CHECK(node.at("relative") == doctest::Approx(1));
  CHECK(written.at("kernels").at("sort").at(1).at("mean_s") == doctest::Approx(5));
}

TEST_CASE("a name that is no UTF-8 does not keep the others from being written") {
  temporary_folder const folder;
  std::string const file = folder.path() / "d.json";
  ovlp::call_statistics all;
  all.kernels["\xff"][{1}][0].others.add({1, 2, 4});
  all.kernels["sort"][{1}][0].others.add({1, 2, 4});
  ovlp::write_durations(file, all, "any", 1, 0, false);
  CHECK(contents(file).find("\"sort\"") != std::string::npos);
  ovlp::summary figures;
  figures.application = "\xff";
  CHECK(figures.json().find("\"application\": \"\xef\xbf\xbd\"") != std::string::npos);
}

TEST_CASE(
    "the table of iterations has a column for intervals where iterations overlap, and a dash for what has no value") {
  CHECK(ovlp::summary().iterations_table() == "no iterations: no operation of this call says here.iteration(k)\n");
  CHECK(figures_with({{1, 0, 1.5, 2, 4, 6, 0.405, 0.405, 0, 1.5}}).iterations_table() ==
        "iteration    from [s]      to [s]    work [s]  nodes  efficiency\n"
        "        1      0.0000      1.5000      2.0000      4       40.5%\n");
  // The second ends before the first: its interval is empty.
  ovlp::summary above_1 = figures_with({{1, 0, 1.5, 2, 4, 1.6, 1.25, 1.25, 0, 1.5}});
  above_1.simulation.reset();
  CHECK(above_1.iterations_table().ends_with(
      "      125.0%\n"
      "Above 100 %: the nodes of one machine share its cores, and one may use what others leave.\n"));
  CHECK(figures_with({{1, 0, 2, 2, 4, 8, 0.25, 0.375, 0, 2}, {2, 0.5, 1, 1, 4, 2, 0.5, {}, 2, 2}}).iterations_table() ==
        "iteration    from [s]      to [s]    work [s]  nodes  efficiency  of interval\n"
        "        1      0.0000      2.0000      2.0000      4       25.0%        37.5%\n"
        "        2      0.5000      1.0000      1.0000      4       50.0%            -\n"
        "Iterations overlap: an interval lasts from the end of those before to the end of this one.\n");
}

TEST_CASE("nodes of an iteration are those held on average, in the table, in JSON and in CSV alike") {
  temporary_folder const folder;
  std::string const file = folder.path() / "e.csv";
  ovlp::summary figures = figures_with({{1, 0, 4, 8, 8, 32, 0.25, 0.25, 0, 4}, {2, 4, 8, 9, 4.5, 18, 0.5, 0.5, 4, 8}});
  figures.over_time = {{0, 4, 8, 0.25}, {2, 6, 6.25, 0.35}};
  CHECK(figures.iterations_table() ==
        "iteration    from [s]      to [s]    work [s]  nodes  efficiency\n"
        "        1      0.0000      4.0000      8.0000      8       25.0%\n"
        "        2      4.0000      8.0000      9.0000    4.5       50.0%\n");
  CHECK(figures.json().find("\"nodes\": 8,") != std::string::npos);
  CHECK(figures.json().find("\"nodes\": 4.5,") != std::string::npos);
  CHECK(figures.json().find("\"nodes\": 6.25,") != std::string::npos);
  ovlp::analysis::write_efficiency(file, figures);
  CHECK(contents(file).find("\n2,4,8,4,8,9,4.5,0.5,0.5\n") != std::string::npos);
  ovlp::analysis::write_efficiency_over_time(file, figures);
  CHECK(contents(file).find("\n2,6,6.25,0.34999999999999998\n") != std::string::npos);
}

TEST_CASE("efficiencies without a value are empty fields of CSV, and null in JSON") {
  temporary_folder const folder;
  std::string const file = folder.path() / "e.csv";
  ovlp::summary const figures = figures_with({{1, 0, 2, 2, 4, 8, 0.25, {}, 2, 2}});
  ovlp::analysis::write_efficiency(file, figures);
  CHECK(contents(file).find("\n1,0,2,2,2,2,4,0.25,\n") != std::string::npos);
  CHECK(figures.json().find("\"interval_efficiency\": null") != std::string::npos);
}
