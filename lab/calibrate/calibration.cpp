// SPDX-License-Identifier: BSD-3-Clause
#include "calibration.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <ovlp/base/host.hpp>
#include <ovlp/machine/parameters.hpp>

namespace ovlp::lab::calibrate {

using json = nlohmann::ordered_json;

void calibration::round() {
  for (experiment const* one : all_experiments()) one->measure(nodes_, figures_);
}

json calibration::platform(std::string const& name, json const& testbed) const {
  json made;
  made["name"] = name;
  made["reference_core"] = base::processor_name();
  if (made["reference_core"] != "unknown") made["processor"] = made["reference_core"];
  // Sections in the order in which people read them, whatever the order of experiments.
  for (machine::parameter const& p : machine::parameters())
    made[std::string(p.key.substr(0, p.key.find_first_of(".[")))] = nullptr;
  for (experiment const* one : all_experiments()) one->describe({nodes_, figures_, testbed}, made);
  for (auto section = made.begin(); section != made.end();)
    section = section->is_null() ? made.erase(section) : std::next(section);
  if (!testbed.is_null()) made["testbed"] = testbed;
  made["calibration"] = {{"idle_nodes", nodes_.limits().period_s > 0 ? "sleep" : "poll, then sleep"}};
  made["calibration"].update(figures_.json());
  return made;
}

json calibration::plain_platform(std::string const& name, json const& testbed) const {
  json const calibrated = platform(name, testbed);
  double const cores = std::max(1.0, std::ceil(nodes_.limits().cores));
  double const share = nodes_.limits().cores / cores;
  json made;
  made["name"] = name + "-plain";
  for (char const* key : {"reference_core", "processor"}) {
    if (calibrated.contains(key)) made[key] = calibrated[key];
  }
  made["nodes"] = {{{"count", nodes_.count()},
                    {"cores", static_cast<std::size_t>(cores)},
                    {"speed", figures_.middle("speed") * share},
                    {"launch_s", figures_.middle("launch_s")}}};
  made["network"] = {{"model", "star"},
                     {"latency_s", calibrated["network"]["latency_s"]},
                     {"bandwidth_Bps", calibrated["network"]["bandwidth_Bps"]}};
  made["comm_cpu"] = plain_communication({nodes_, figures_, testbed}, cores, share);
  made["runtime"] = {{"concurrent_per_pair", 1}};
  if (!testbed.is_null()) made["testbed"] = testbed;
  return made;
}

}  // namespace ovlp::lab::calibrate
