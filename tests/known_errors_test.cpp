// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/known_errors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>

#include "support/process.hpp"
#include "support/seed.hpp"
#include "validate/measured_errors.hpp"

namespace {

using ovlp::analysis::known_error_of;
using ovlp::analysis::predicted;
using ovlp::lab::validate::held_out_table;
using ovlp::lab::validate::known_errors;
using ovlp::lab::validate::measured_error;
using ovlp::lab::validate::read_errors;

}  // namespace

TEST_CASE("nine of ten that come later are within what ninety of a hundred of their kind let expect") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  std::lognormal_distribution<double> error(0, 2);  // any distribution will do
  auto const some = [&](std::size_t n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(error(random));
    return values;
  };
  for (std::size_t const n : {std::size_t{9}, std::size_t{20}, std::size_t{100}}) {
    CAPTURE(n);
    int inside = 0;
    constexpr int rounds = 4000;
    for (int i = 0; i < rounds; ++i) inside += error(random) <= *ovlp::base::conformal_quantile(some(n), 0.9) ? 1 : 0;
    auto const of = static_cast<double>(n + 1);
    double const expected = std::ceil(0.9 * of) / of;
    CHECK(std::abs(inside / double{rounds} - expected) < 5 * std::sqrt(0.09 / rounds));
  }
  CHECK_FALSE(ovlp::base::conformal_quantile(some(8), 0.9));  // whatever they are, they cannot say
  CHECK_FALSE(ovlp::base::conformal_quantile({}, 0.9));
  CHECK(*ovlp::base::conformal_quantile({3, 1, 2}, 0.5) == 2);
}

TEST_CASE("what intervals are made of is what was measured") {
  std::set<std::string> found;
  for (auto const& entry : std::filesystem::directory_iterator(RESULTS)) {
    if (std::filesystem::exists(entry.path() / "errors.csv")) found.insert(entry.path());
  }
  std::vector<std::string> const folders(found.begin(), found.end());
  REQUIRE(folders.size() >= 4);
  auto const known = known_errors(read_errors(folders));
  CHECK(known == nlohmann::ordered_json::parse(ovlp::base::read_file(std::string(RESULTS) + "/errors.json")));
  for (auto const& [what, key, plural] : ovlp::analysis::kinds_of_errors()) {
    CHECK(std::string(ovlp::analysis::key_of(what)) == key);
    auto const here = known_error_of(what);
    REQUIRE(here.has_value() == known.contains(key));
    if (!here) continue;
    CHECK(here->below == known[key]["below"]);
    CHECK(here->above == known[key]["above"]);
    CHECK(here->cases >= 19);
  }
}

TEST_CASE("the report of a validation says what the errors beside it say") {
  std::size_t reports = 0;
  for (auto const& entry : std::filesystem::directory_iterator(RESULTS)) {
    std::string const folder = entry.path(), file = folder + "/errors.csv";
    if (!std::filesystem::exists(file)) continue;
    CAPTURE(folder);
    ovlp::base::csv_reader row(ovlp::base::read_file(file), file, {"measured_s", "predicted_s"},
                               ovlp::base::csv_reader::other_columns::skipped);
    std::vector<double> sizes;
    while (row.next()) sizes.push_back(std::abs(row.number(1) / row.number(0) - 1));
    std::string const report = ovlp::base::read_file(folder + "/report.txt");
    std::size_t const model = report.find("Calibrated model\n"), all = report.find("\nall ", model);
    REQUIRE(all != std::string::npos);
    auto const said = ovlp::base::words_of(report.substr(all, report.find('\n', all + 1) - all));
    REQUIRE(said.size() == 9);
    CHECK(said[1] == std::to_string(sizes.size()));
    // All with six digits here and two there.
    CHECK(std::abs(std::stod(said[7]) - 100 * ovlp::base::mean(sizes)) < 0.006);
    CHECK(std::abs(std::stod(said[8]) - 100 * *std::ranges::max_element(sizes)) < 0.06);
    ++reports;
  }
  CHECK(reports >= 8);
}

TEST_CASE("runs on more nodes than were calibrated are a kind of their own, and so are plans") {
  ovlp::testing::temporary_folder const folder;
  std::string rows =
      "testbed,application,kind,measured_s,unvaried_s,speed_deviation,more,without_straggler_s,predicted_s\n";
  for (int i = 0; i < 20; ++i) {
    rows += "a,lu,time," + std::to_string(1 + 0.01 * i) + ",1,0,x,0,1\n";
    rows += "b,heat,time_beyond_calibration," + std::to_string(1 - 0.02 * i) + ",1,0.04,x,0,1\n";
  }
  folder.file("errors.csv", rows);
  folder.file("plans.csv",
              "testbed,application,measured_saving,unvaried_saving,measured_loss,unvaried_loss,speed_deviation\n"
              "a,lu,-0.1,0.1,0.3,0.25,0.04\n");
  auto const all = read_errors({folder.path()});
  auto const known = known_errors(all);
  auto const about = [](double value) { return doctest::Approx(value).epsilon(1e-3); };
  CHECK(known.at("time").at("above") == about(0.19 / 0.03));  // the twentieth of twenty
  CHECK(known.at("time").at("below") == about(0));
  CHECK(known.at("time").at("cases") == 20);
  CHECK(known.at("time_beyond_calibration").at("below") == about(0.38 / 0.05));  // 3 and 4 make 5
  CHECK_FALSE(known.contains("saved_node_s"));                                   // one case says nothing
  REQUIRE(all.size() == 40 + 190 + 2);  // times, ratios of lu's, a plan's saving and loss
  CHECK(all[230].spreads == about(-0.2 / 0.05));
  CHECK(all[231].spreads == about(0.05 / 0.05));
}

TEST_CASE("any two runs of a program on a testbed say how far their ratio was off, slower over faster") {
  ovlp::testing::temporary_folder const folder;
  folder.file("errors.csv",
              "testbed,application,kind,measured_s,unvaried_s,speed_deviation,without_straggler_s,predicted_s\n"
              "a,lu,time,1.1,1,0,0,1\nb,lu,time,1,1,0,0,1\na,lu,time,4,2,0,0,2\na,heat,time,1,1,0,0,1\n"
              "b,heat,time,1,1,0,0,1\nb,heat,time_beyond_calibration,1,1,0,0,1\nb,heat,none,1,1,0,0,1\n");
  std::vector<double> ratios;
  for (measured_error const& e : read_errors({folder.path()}))
    if (e.what == predicted::ratio_of_times) ratios.push_back(1 + e.spreads * e.spread);
  REQUIRE(ratios.size() == 1);  // not of two programs, testbeds or kinds
  CHECK(ratios[0] == doctest::Approx(2 / 1.1));
}

TEST_CASE("of runs with a slow node those count whose prediction it changes") {
  ovlp::testing::temporary_folder const folder;
  folder.file("errors.csv",
              "testbed,application,kind,measured_s,unvaried_s,speed_deviation,without_straggler_s,predicted_s\n"
              "a,lu,time_of_unequal_nodes,1.1,1,0,0.5,1\na,lu,time_of_unequal_nodes,3,2,0,1.99,2\n");
  auto const all = read_errors({folder.path()});
  REQUIRE(all.size() == 1);
  CHECK(all[0].spreads * all[0].spread == doctest::Approx(0.1));
}

TEST_CASE("how intervals hold is judged by what they know nothing of") {
  // Two calibrations, one three times as far off: neither's errors are in its own interval. A later validation by the
  // first one's calibration does not see it either.
  std::vector<measured_error> all;
  for (int i = -19; i <= 20; ++i) {
    all.push_back({predicted::time, "v", "near", "lu", 0.001 * i, 1});
    all.push_back({predicted::time, "v", "far", "lu", 0.003 * i, 2});
    all.push_back({predicted::time, "w", "near", "lu", 0.001 * i, 1});
  }
  std::string const table = held_out_table(all);
  CAPTURE(table);
  // Those that are near hold from -0.018 to 0.019, which are -6 to 6 of those that are far; these from -0.054 to 0.057.
  CHECK(table.find("v, far                                40      13     32.5     0.00      7.4") != std::string::npos);
  CHECK(table.find("v, near                               40      40    100.0     0.03     11.1") != std::string::npos);
  CHECK(table.find("w, near                               40      40    100.0     0.03     11.1") != std::string::npos);
  CHECK(table.find("by program") == std::string::npos);  // one program: nothing is left without it
}

TEST_CASE("an interval is wide where nodes differed in calibration, and says what would narrow it") {
  ovlp::analysis::known_error const known{1, 2, 470, 13, 5};
  CHECK(known.around(1, ovlp::analysis::spread_of_predictions(0)).low == doctest::Approx(0.97));
  CHECK(known.around(1, ovlp::analysis::spread_of_predictions(0.04)).high == doctest::Approx(1.1));
  CHECK(known.around(0.2, 0.05).low == doctest::Approx(0.15));
  CHECK(known.text(predicted::time, 0.01) == "holds for 9 of 10 of 470 measured times (5 programs, 13 calibrations)");
  CHECK(known.text(predicted::time, 0.04) ==
        "holds for 9 of 10 of 470 measured times (5 programs, 13 calibrations); nodes' speeds differed by 4.0 % in "
        "calibration: calibrating on a quieter host would narrow it");
}
