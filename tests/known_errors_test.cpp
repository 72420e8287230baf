// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/known_errors.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/statistics.hpp>

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
  for (predicted what :
       {predicted::time, predicted::time_beyond_calibration, predicted::saved_node_s, predicted::lost_time}) {
    auto const here = known_error_of(what);
    REQUIRE(here.has_value() == known.contains(ovlp::analysis::key_of(what)));
    if (!here) continue;
    CHECK(here->below == known[ovlp::analysis::key_of(what)]["below"]);
    CHECK(here->above == known[ovlp::analysis::key_of(what)]["above"]);
    CHECK(here->cases >= 19);
  }
}

TEST_CASE("runs on more nodes than were calibrated are a kind of their own, and so are plans") {
  ovlp::testing::temporary_folder const folder;
  std::string rows = "testbed,application,nodes,calibrated_nodes,measured_s,unvaried_s,speed_deviation,more\n";
  for (int i = 0; i < 20; ++i) {
    rows += "a,lu,4,4," + std::to_string(1 + 0.01 * i) + ",1,0,x\n";
    rows += "b,heat,8,4," + std::to_string(1 - 0.02 * i) + ",1,0.04,x\n";
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
  REQUIRE(all.size() == 42);
  CHECK(all[40].spreads == about(-0.2 / 0.05));
  CHECK(all[41].spreads == about(0.05 / 0.05));
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
