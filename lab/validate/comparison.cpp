// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>

#include "prediction.hpp"

namespace ovlp::lab::validate {
namespace {

using base::median;
using base::read_json;
using nlohmann::json;

constexpr double periods_of_an_efficiency = 10;

std::string key_of(configuration const& c) { return c.testbed + " " + c.application + " " + c.options; }

/// What is known of a testbed.
struct calibrated_testbed {
  json platform;  ///< with the straggler, if there is one
  json plain;     ///< the same
  json without_straggler;
  machine::platform model;
};

calibrated_testbed read_testbed(testbed const& t, places const& where) {
  json const calibrated = read_json(platform_of(t, where)), plain = read_json(plain_platform_of(t, where));
  auto const known = [&](json const& platform) { return t.slow ? with_straggler(platform, *t.slow) : platform; };
  return {known(calibrated), known(plain), calibrated, machine::platform::find(platform_of(t, where))};
}

/// Median over the repetitions, of each iteration that lasts long enough to speak of what a node gives: under a quota
/// it gives more or less for as long as a period.
std::map<int, double> measured_efficiencies(configuration const& c, measurements const& from,
                                            machine::node_kind const& node) {
  double const least_s = node.quota ? periods_of_an_efficiency * node.quota->period_s : 0;
  std::map<int, std::vector<double>> found;
  for (iteration_measurement const& i : from.iterations()) {
    bool const counts =
        i.of.repeats(c.testbed, c.application, c.options) && i.held_node_s > 0 && i.end_s - i.start_s >= least_s;
    if (counts) found[i.iteration].push_back(i.work_s / i.held_node_s / node.capacity());
  }
  std::map<int, double> medians;
  for (auto const& [iteration, values] : found) medians[iteration] = median(values);
  return medians;
}

/// Runs of a configuration that went well.
std::vector<measurement> runs_of(configuration const& c, measurements const& from) {
  std::vector<measurement> good;
  std::string failure = "not measured";
  for (measurement const& m : from.runs()) {
    if (!m.of.repeats(c.testbed, c.application, c.options)) continue;
    if (m.failure.empty()) good.push_back(m);
    else failure = m.failure;
  }
  if (good.empty()) throw io_error(failure);
  return good;
}

void compare_one(grid const& of, configuration const& c, calibrated_testbed const& on, json const& durations,
                 places const& where, measurements const& from, results& found) {
  std::vector<measurement> const runs = runs_of(c, from);
  comparison compared{c, measured_times_s(c, from), {}};
  std::vector<double> works_s;
  for (measurement const& run : runs) {
    works_s.push_back(run.work_s);
    compared.measured_node_s.push_back(run.held_node_s);
    if (run.processors.waited_s * compared.waited.cpu_s >= compared.waited.waited_s * run.processors.cpu_s)
      compared.waited = run.processors;
  }
  auto const [least, most] = std::minmax_element(compared.measured_s.begin(), compared.measured_s.end());
  compared.median_s = median(compared.measured_s);
  compared.spread = (*most - *least) / compared.median_s;

  auto const predict_with = [&](json const& platform) { return predict(of, c, platform, durations, where); };
  prediction const predicted = predict_with(on.platform);
  for (measurement const& run : runs) {
    if (!run.call.empty() && !predicted.call.empty() && run.call != predicted.call)
      throw io_error("measured was the call " + run.call + ", predicted is the call " + predicted.call);
  }
  compared.predicted_s = predicted.time_s;
  prediction const unvaried = predict_unvaried(of, c, on.platform, durations, where);
  compared.unvaried_s = unvaried.time_s;
  compared.unvaried_node_s = unvaried.held_node_s;
  compared.kind = unvaried.kind;
  compared.nodes = predicted.nodes;
  compared.calibrated_nodes = on.model.node_count();
  compared.speed_deviation = on.model.speed_deviation();
  compared.node_s = median(compared.measured_node_s);
  compared.predicted_node_s = predicted.held_node_s;
  compared.work_error = median(works_s) > 0 ? predicted.work_s / median(works_s) - 1 : 0;
  compared.plain_s = predict_with(on.plain).time_s;
  if (of.testbed_of(c).slow) compared.without_straggler_s = predict_with(on.without_straggler).time_s;
  json const without_communication =
      json::parse(machine::with_ideal_network(on.platform.dump(), c.testbed, machine::costs_of_messages::go));
  compared.without_communication_s = predict_with(without_communication).time_s;

  for (auto const& [iteration, measured] : measured_efficiencies(c, from, on.model.kind_of(0))) {
    auto const simulated = predicted.efficiency.find(iteration);
    if (simulated == predicted.efficiency.end()) continue;
    found.efficiencies.push_back({c, iteration, measured, simulated->second / on.model.kind_of(0).capacity()});
  }
  found.times.push_back(std::move(compared));
}

}  // namespace

std::vector<double> measured_times_s(configuration const& c, measurements const& from) {
  std::vector<double> times_s;
  for (measurement const& run : runs_of(c, from)) times_s.push_back(run.time_s);
  return times_s;
}

double mean_absolute(std::vector<double> const& errors) {
  double sum = 0;
  for (double const error : errors) sum += std::abs(error);
  return sum / static_cast<double>(errors.size());
}

std::string error_columns(std::vector<double> const& errors, std::span<double const> limits) {
  std::ostringstream text;
  text << std::setw(5) << errors.size();
  if (errors.empty()) return text.str();
  for (double const limit : limits) {
    auto const within = std::ranges::count_if(errors, [&](double error) { return std::abs(error) <= limit; });
    text << std::setw(8) << base::fixed(100 * static_cast<double>(within) / static_cast<double>(errors.size()), 1);
  }
  text << std::setw(9) << base::fixed(100 * base::mean(errors), 2) << std::setw(9)
       << base::fixed(100 * mean_absolute(errors), 2);
  return text.str();
}

results compare(grid const& of, places const& where, measurements const& from, measurements const& calibrated) {
  results found;
  std::map<std::string, calibrated_testbed> testbeds;
  for (testbed const& t : of.testbeds) testbeds.emplace(t.name, read_testbed(t, where));
  base::progress progress("ovlp validate: predicting", of.configurations.size(), "configurations");
  for (configuration const& c : of.configurations) {
    progress.advance(&c == of.configurations.data() ? 0 : 1);
    calibrated_testbed const& on = testbeds.at(c.testbed);
    json const durations = durations_of(c, calibrated);
    try {
      compare_one(of, c, on, durations, where, from, found);
    } catch (io_error const& wrong) {
      std::string const lacking = "; of '" + c.application + " " + c.durations +
                                  "' no durations are known: to record them, delete its rows in measurements.csv";
      found.failures.push_back(key_of(c) + ": " + wrong.what() + (durations.at("kernels").empty() ? lacking : ""));
    }
  }
  return found;
}

}  // namespace ovlp::lab::validate
