// SPDX-License-Identifier: BSD-3-Clause
#include "machine_model.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace ovlp::tools::validate {
namespace {

using nlohmann::json;

/// Figures of calibration that are CPU time of messages, as measured.
constexpr char const* message_figures[]{"per_message_s", "awaited_s"};

std::vector<double> values_of(json const& calibration, char const* figure) {
  if (!calibration.contains(figure)) return {};
  return calibration[figure].value("values", std::vector<double>());
}

growth_fit messages_growth(json const& calibration, double calibrated_s) {
  std::vector<double> const machine_s = values_of(calibration, "machine_s");
  std::vector<xy_values> figures;
  for (char const* figure : message_figures) {
    std::vector<double> const cpu_s = values_of(calibration, figure);
    if (cpu_s.size() != machine_s.size()) continue;  // some rounds were not listened to
    xy_values& values = figures.emplace_back();
    for (std::size_t round = 0; round < cpu_s.size(); ++round) values.emplace_back(machine_s[round], cpu_s[round]);
  }
  return fitted_growth(figures, calibrated_s);
}

/// By application: the CPU time of all kernels of runs that are repeated, on the first core.
std::map<std::string, growth_fit> kernels_growths(std::string const& testbed, double calibrated_s,
                                                  measurements const& from) {
  std::set<run_key> recorded;
  for (kernel_measurement const& k : from.kernels()) recorded.insert(k.of);
  std::map<std::string, std::map<std::string, xy_values>> applications;
  for (measurement const& run : from.runs()) {
    if (run.of.testbed != testbed || run.machine_s.empty() || !recorded.contains(run.of)) continue;
    applications[run.of.application][run.of.options].emplace_back(run.machine_s.front(), run.work_s);
  }
  std::map<std::string, growth_fit> growths;
  for (auto const& [application, options] : applications) {
    std::vector<xy_values> groups;
    for (auto const& [ignored, values] : options) groups.push_back(values);
    growths[application] = fitted_growth(groups, calibrated_s);
  }
  return growths;
}

}  // namespace

double machine_model::kernels_factor(std::string const& application, double machine_s) const {
  auto const growth = kernels_growth.find(application);
  return growth == kernels_growth.end() ? 1 : factor(growth->second.growth, machine_s);
}

double machine_model::messages_factor(double machine_s) const { return factor(messages_growth.growth, machine_s); }

double machine_model::factor(double growth, double machine_s) const {
  constexpr double least = 0.2;  // the line ends somewhere
  return calibrated_s <= 0 ? 1 : std::max(least, 1 + growth * (machine_s / calibrated_s - 1));
}

machine_model learn_machine(std::string const& testbed, json const& platform, measurements const& from) {
  json const calibration = platform.value("calibration", json::object());
  std::vector<double> const heard_s = values_of(calibration, "machine_s");
  if (heard_s.empty()) return {};
  double const calibrated_s = median(heard_s);
  return {calibrated_s, kernels_growths(testbed, calibrated_s, from), messages_growth(calibration, calibrated_s)};
}

json platform_at(std::vector<double> const& machine_s, machine_model const& machine, std::string const& application,
                 json platform) {
  json nodes = json::array();
  for (json const& kind : platform["nodes"]) {
    for (std::size_t n = 0; n < kind.value("count", std::size_t{1}); ++n) {
      json node = kind;
      node["count"] = 1;
      double const here_s = machine_s[nodes.size() % machine_s.size()];
      node["speed"] = kind.value("speed", 1.0) / machine.kernels_factor(application, here_s);
      nodes.push_back(std::move(node));
    }
  }
  platform["nodes"] = std::move(nodes);
  if (!platform.contains("comm_cpu")) return platform;
  // Costs of messages are work for the node, whose speed is that of kernels already.
  double more = 0;
  for (double core_s : machine_s) {
    more += machine.messages_factor(core_s) / machine.kernels_factor(application, core_s);
  }
  for (auto& [figure, value] : platform["comm_cpu"].items()) {
    bool const is_cost = value.is_number() && figure.ends_with("_s") && figure != "cooling_s";
    if (is_cost) {
      value = value.get<double>() * more / static_cast<double>(machine_s.size());
    }
  }
  return platform;
}

}  // namespace ovlp::tools::validate
