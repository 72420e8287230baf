// SPDX-License-Identifier: BSD-3-Clause
#include "machine_model.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace ovlp::tools::validate {
namespace {

using nlohmann::json;

/// Figures of a platform's comm_cpu, and of its calibration what they grow as.
constexpr std::pair<char const*, char const*> message_figures[]{{"per_message_s", "per_message_s"},
                                                                {"receive_per_message_s", "per_message_s"},
                                                                {"per_byte_s", "per_byte_s"},
                                                                {"receive_per_byte_s", "receive_per_byte_s"},
                                                                {"send_wake_s", "send_wake_s"},
                                                                {"wake_s", "wake_s"},
                                                                {"cold_s", "cold_s"},
                                                                {"asleep_s", "long_pause_more_s"}};

std::vector<double> values_of(json const& calibration, char const* figure) {
  if (!calibration.contains(figure)) return {};
  return calibration[figure].value("values", std::vector<double>());
}

/// Of the figures that each round of calibration has listened to.
std::map<std::string, growth_fit> messages_growths(json const& calibration) {
  std::vector<double> const apart_s = values_of(calibration, "apart_s");
  std::map<std::string, growth_fit> growths;
  double const usual_apart_s = apart_s.empty() ? 0 : median(apart_s);
  if (usual_apart_s == 0) return growths;  // one core, or nobody listened
  for (auto const& [figure, grows_as] : message_figures) {
    std::vector<double> const cpu_s = values_of(calibration, grows_as);
    if (cpu_s.size() != apart_s.size()) continue;  // some rounds were not listened to
    xy_values values;
    for (std::size_t round = 0; round < cpu_s.size(); ++round) values.emplace_back(apart_s[round], cpu_s[round]);
    growths[figure] = fitted_growth({values}, usual_apart_s);
  }
  return growths;
}

/// By application: the CPU time of all kernels of runs that are repeated, on the first core.
std::map<std::string, growth_fit> kernels_growths(std::string const& testbed, double calibrated_s,
                                                  measurements const& from) {
  std::set<run_key> recorded;
  for (kernel_measurement const& k : from.kernels()) recorded.insert(k.of);
  std::map<std::string, std::map<std::string, xy_values>> applications;
  for (measurement const& run : from.runs()) {
    if (run.of.testbed != testbed || !run.machine.is_known() || !recorded.contains(run.of)) continue;
    applications[run.of.application][run.of.options].emplace_back(run.machine.cores_s.front(), run.work_s);
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

double machine_model::kernels_factor(std::string const& application, double product_s) const {
  auto const growth = kernels_growth.find(application);
  return growth == kernels_growth.end() ? 1 : growth->second.factor(product_s);
}

double machine_model::messages_factor(std::string const& figure, double apart_s) const {
  auto const growth = messages_growth.find(figure);
  return growth == messages_growth.end() || apart_s <= 0 ? 1 : growth->second.factor(apart_s);
}

machine_model learn_machine(std::string const& testbed, json const& platform, measurements const& from) {
  json const calibration = platform.value("calibration", json::object());
  std::vector<double> const heard_s = values_of(calibration, "machine_s");
  if (heard_s.empty()) return {};
  return {kernels_growths(testbed, median(heard_s), from), messages_growths(calibration), true};
}

json platform_at(machine_state const& state, machine_model const& machine, std::string const& application,
                 json platform) {
  json nodes = json::array();
  for (json const& kind : platform["nodes"]) {
    for (std::size_t n = 0; n < kind.value("count", std::size_t{1}); ++n) {
      json node = kind;
      node["count"] = 1;
      double const product_s = state.cores_s[nodes.size() % state.cores_s.size()];
      node["speed"] = kind.value("speed", 1.0) / machine.kernels_factor(application, product_s);
      nodes.push_back(std::move(node));
    }
  }
  platform["nodes"] = std::move(nodes);
  if (!platform.contains("comm_cpu")) return platform;
  for (auto& [figure, value] : platform["comm_cpu"].items()) {
    if (value.is_number()) value = value.get<double>() * machine.messages_factor(figure, state.apart_s);
  }
  return platform;
}

}  // namespace ovlp::tools::validate
