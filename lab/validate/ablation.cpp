// SPDX-License-Identifier: BSD-3-Clause
#include "ablation.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>

#include "comparison.hpp"
#include "prediction.hpp"

namespace ovlp::lab::validate {
namespace {

/// A prediction here is a median of so many simulations at most: one of many predictions, in whose errors the chance of
/// each hardly shows.
constexpr std::size_t most_simulations = 5;

/// A configuration that has been measured.
struct measured {
  configuration of;
  double time_s;
  nlohmann::json durations;
};

std::vector<measured> all_measured(grid const& of, measurements const& from, measurements const& calibrated) {
  std::vector<measured> found;
  for (configuration const& c : of.configurations) {
    try {
      found.push_back({c, base::median(measured_times_s(c, from)), durations_of(c, calibrated)});
    } catch (io_error const&) {
      continue;  // the report lists it
    }
  }
  return found;
}

struct known_platform {
  nlohmann::json platform;
  std::vector<std::string> parts;
  bool has(std::string const& part) const { return std::ranges::find(parts, part) != parts.end(); }
};

/// Errors, predicted / measured - 1, by application; and of all.
using errors = std::map<std::string, std::vector<double>>;

std::string line(std::string const& label, errors const& found) {
  std::ostringstream text;
  text << std::left << std::setw(24) << label << std::right
       << error_columns(found.at(""), std::array{0.04, 0.06, 0.12});
  for (auto const& [application, of_it] : found) {
    if (!application.empty()) text << std::setw(12) << base::fixed(100 * mean_absolute(of_it), 2);
  }
  return text.str() + "\n";
}

}  // namespace

std::string ablate(grid of, places const& where, measurements const& from, measurements const& calibrated) {
  of.simulations = std::min(of.simulations, most_simulations);
  std::map<std::string, known_platform> platforms;
  std::set<std::string> parts;
  for (testbed const& t : of.testbeds) {
    std::string const file = platform_of(t, where);
    known_platform& known = platforms[t.name];
    known = {base::read_json(file), machine::ablations(file)};
    parts.insert(known.parts.begin(), known.parts.end());
  }
  std::vector<measured> const all = all_measured(of, from, calibrated);
  if (all.empty()) throw io_error("'" + where.output + "': nothing of the grid has been measured");

  base::progress progress("ovlp validate", all.size() * (1 + parts.size()), "predictions");
  auto const errors_without = [&](std::optional<std::string> const& part) {
    progress.say("predicting without " + part.value_or("nothing"));
    errors found;
    for (measured const& m : all) {
      known_platform const& on = platforms.at(m.of.testbed);
      words const without = part && on.has(*part) ? words{*part} : words{};
      double const error = predict(of, m.of, on.platform, m.durations, where, without).time_s / m.time_s - 1;
      found[""].push_back(error);
      found[m.of.application].push_back(error);
      progress.advance();
    }
    return found;
  };
  errors const whole = errors_without(std::nullopt);
  std::ostringstream table;
  table << "without                  runs   <=4 %   <=6 %  <=12 %   mean %  mean|%|";
  for (auto const& [application, ignored] : whole) {
    if (!application.empty()) table << std::setw(12) << application;
  }
  table << "\n" << line("nothing", whole);
  for (std::string const& part : parts) table << line(part, errors_without(part));
  return table.str();
}

}  // namespace ovlp::lab::validate
