// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/known_errors.hpp>

#include <array>
#include <cmath>

#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

#include "measured_errors.hpp"

namespace ovlp::analysis {

namespace {

// In the order of `predicted`.
constexpr std::array kinds{
    kind_of_error{predicted::time, "time", "times"},
    kind_of_error{predicted::time_beyond_calibration, "time_beyond_calibration",
                  "times of runs on more nodes than were calibrated"},
    kind_of_error{predicted::time_of_unequal_nodes, "time_of_unequal_nodes", "times of runs with a slow node"},
    kind_of_error{predicted::time_on_this_machine, "time_on_this_machine", "times of runs on one machine"},
    kind_of_error{predicted::saved_node_s, "saved_node_s", "savings"},
    kind_of_error{predicted::lost_time, "lost_time", "losses of time"},
    kind_of_error{predicted::ratio_of_times, "ratio_of_times", "ratios of two times"}};

static_assert([] {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (static_cast<std::size_t>(kinds.at(i).what) != i) return false;
  return true;
}());

kind_of_error const& entry_of(predicted what) { return kinds.at(static_cast<std::size_t>(what)); }

}  // namespace

std::span<kind_of_error const> kinds_of_errors() { return kinds; }

char const* key_of(predicted what) { return entry_of(what).key; }

double spread_of_predictions(double speed_deviation) {
  constexpr double of_model = 0.03;
  return std::hypot(of_model, speed_deviation);
}

std::optional<known_error> known_error_of(predicted what) {
  static nlohmann::json const all = base::parse_json(measured_errors().at("errors"), "errors.json");
  auto const found = all.find(key_of(what));
  if (found == all.end()) return std::nullopt;
  return known_error{found->at("below"), found->at("above"), found->at("cases"), found->at("calibrations"),
                     found->at("programs")};
}

std::string known_error::cases_text(predicted what) const {
  auto const count = [](std::size_t n, std::string const& one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
  };
  return std::to_string(cases) + " measured " + entry_of(what).plural + " (" + count(programs, "program") + ", " +
         count(calibrations, "calibration") + ")";
}

std::string known_error::text(predicted what, double speed_deviation) const {
  std::string all = "holds for 9 of 10 of " + cases_text(what);
  if (spread_of_predictions(speed_deviation) > 1.5 * spread_of_predictions(0)) {
    all += "; nodes' speeds differed by " + base::fixed(100 * speed_deviation, 1) +
           " % in calibration: calibrating on a quieter host would narrow it";
  }
  return all;
}

}  // namespace ovlp::analysis
