// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/known_errors.hpp>

#include <cmath>

#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

#include "measured_errors.hpp"

namespace ovlp::analysis {

char const* key_of(predicted what) {
  switch (what) {
    case predicted::time: return "time";
    case predicted::time_beyond_calibration: return "time_beyond_calibration";
    case predicted::saved_node_s: return "saved_node_s";
    case predicted::lost_time: return "lost_time";
  }
  return "";
}

double spread_of_predictions(double speed_deviation) {
  constexpr double of_model = 0.03;
  return std::hypot(of_model, speed_deviation);
}

std::optional<known_error> known_error_of(predicted what) {
  static nlohmann::json const all = base::parse_json(measured_errors(), "errors.json");
  auto const found = all.find(key_of(what));
  if (found == all.end()) return std::nullopt;
  return known_error{found->at("below"), found->at("above"), found->at("cases"), found->at("calibrations"),
                     found->at("programs")};
}

std::string known_error::text(predicted what, double speed_deviation) const {
  auto const count = [](std::size_t n, std::string const& one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
  };
  std::string const of = what == predicted::lost_time      ? "losses of time"
                         : what == predicted::saved_node_s ? "savings"
                                                           : "times";
  std::string const beyond =
      what == predicted::time_beyond_calibration ? " of runs on more nodes than were calibrated" : "";
  std::string all = "holds for 9 of 10 of " + std::to_string(cases) + " measured " + of + beyond + " (" +
                    count(programs, "program") + ", " + count(calibrations, "calibration") + ")";
  if (spread_of_predictions(speed_deviation) > 1.5 * spread_of_predictions(0)) {
    all += "; nodes' speeds differed by " + base::fixed(100 * speed_deviation, 1) +
           " % in calibration: calibrating on a quieter host would narrow it";
  }
  return all;
}

}  // namespace ovlp::analysis
