// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/summary.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/json_object.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp {
namespace {

using json = nlohmann::ordered_json;

json as_json(summary::value const& value) {
  return std::visit([](auto const& v) { return json(v); }, value);
}
/// How many nodes were held on average; a whole number stays one.
json nodes_as_json(double nodes) {
  return nodes == std::floor(nodes) ? json(static_cast<std::int64_t>(nodes)) : json(nodes);
}
json as_json(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

}  // namespace

std::string summary::json() const {
  ovlp::json to;
  to["application"] = application;
  to["backend"] = backend;
  if (!failure.empty()) {
    to["failure"] = failure;
    to["nodes"] = nodes;
    return base::json_text(to);
  }
  for (auto const& [name, figure] : application_figures) to[name] = as_json(figure);
  for (auto const& [name, figure] : application_results) to[name] = as_json(figure);
  to["call"] = call;
  to["nodes"] = nodes;
  to["time_s"] = time_s;
  to["work_s"] = work_s;
  to["overhead_s"] = overhead_s;
  if (!simulation) to["polling_s"] = polling_s;
  to["atomic_steps"] = atomic_steps;
  to["transfers"] = transfers;
  to["bytes"] = bytes;
  to["control_messages"] = control_messages;
  to["efficiency"] = efficiency;
  to["held_node_s"] = held_node_s;
  if (simulation) {
    to["platform"] = simulation->platform;
    if (!simulation->platform_from.empty()) to["platform_from"] = simulation->platform_from;
    to["execution"] = simulation->execution;
    auto const& interval = simulation->interval;
    to["time_low_s"] = interval ? ovlp::json(interval->low_s) : ovlp::json(nullptr);
    to["time_high_s"] = interval ? ovlp::json(interval->high_s) : ovlp::json(nullptr);
    to["prediction_spread"] = interval ? ovlp::json(simulation->prediction_spread) : ovlp::json(nullptr);
    to["interval_of"] = simulation->interval_of.empty() ? ovlp::json(nullptr) : ovlp::json(simulation->interval_of);
    to["interval_from"] = simulation->interval_from;
    to["communication_cpu_s"] = simulation->communication_cpu_s;
    to["node_cpu_s"] = simulation->node_cpu_s;
    to["network_flips"] = simulation->network_flips;
    if (simulation->sampling_error) to["sampling_error"] = *simulation->sampling_error;
    if (!simulation->estimates.empty()) to["estimates"] = simulation->estimates;
    if (!simulation->overhead_from.empty()) to["overhead_from"] = simulation->overhead_from;
    for (memory_summary const& m : simulation->memory) {
      to["memory"].push_back({{"node", m.node}, {"bytes", m.bytes}, {"peak_bytes", m.peak_bytes}});
    }
    if (!simulation->without_effect.empty()) to["without_effect"] = simulation->without_effect;
    if (!simulation->warnings.empty()) to["warnings"] = simulation->warnings;
  }
  for (decision_summary const& d : decisions) {
    to["decisions"].push_back({{"after", d.iteration}, {"nodes", d.nodes}, {"reason", d.reason}, {"at_s", d.at_s}});
  }
  to["iterations"] = ovlp::json::array();
  for (iteration_summary const& i : iterations) {
    ovlp::json entry{{"index", i.index},
                     {"start_s", i.start_s},
                     {"end_s", i.end_s},
                     {"work_s", i.work_s},
                     {"nodes", nodes_as_json(i.nodes)},
                     {"held_node_s", i.held_node_s}};
    entry["efficiency"] = as_json(i.efficiency);
    entry["interval_efficiency"] = as_json(i.interval_efficiency);
    entry["interval_start_s"] = i.interval_start_s;
    entry["interval_end_s"] = i.interval_end_s;
    to["iterations"].push_back(std::move(entry));
  }
  if (!over_time.empty()) to["over_time"] = ovlp::json::array();
  for (window_summary const& w : over_time) {
    to["over_time"].push_back(
        {{"start_s", w.start_s}, {"end_s", w.end_s}, {"nodes", nodes_as_json(w.nodes)}, {"efficiency", w.efficiency}});
  }
  to["host"] = {{"machine", host.machine},
                {"processor", host.processor},
                {"cores", host.cores},
                {"wall_s", host.wall_s},
                {"peak_memory_bytes", host.peak_memory_bytes}};
  if (host.processors.cpu_s > 0) {
    to["host"]["cpu_s"] = host.processors.cpu_s;
    to["host"]["waited_s"] = host.processors.waited_s;
    if (std::string const warning = warning_of(host.processors); !warning.empty()) to["host"]["warning"] = warning;
  }
  return base::json_text(to);
}

namespace {

std::string percent(std::optional<double> ratio) { return ratio ? base::fixed(100 * *ratio, 1) + "%" : "-"; }

/// Nodes held on average: 8 if they were all the time, else with a digit after the point.
std::string as_text(double nodes) { return base::fixed(nodes, nodes == std::floor(nodes) ? 0 : 1); }

/// Whether one begins before all that are before it have ended, but for a hundredth of itself.
bool overlap(std::vector<iteration_summary> const& iterations) {
  double closed_s = -std::numeric_limits<double>::infinity();
  for (iteration_summary const& i : iterations) {
    if (i.start_s < closed_s - 0.01 * (i.end_s - i.start_s)) return true;
    closed_s = std::max(closed_s, i.end_s);
  }
  return false;
}

}  // namespace

std::string summary::iterations_table() const {
  if (iterations.empty()) return "no iterations: no operation of this call says here.iteration(k)\n";
  bool const intervals = overlap(iterations);
  base::text_writer table;
  table << "iteration    from [s]      to [s]    work [s]  nodes  efficiency" << (intervals ? "  of interval" : "")
        << '\n'
        << std::fixed << std::setprecision(4);
  for (iteration_summary const& i : iterations) {
    table << std::setw(9) << i.index << std::setw(12) << i.start_s << std::setw(12) << i.end_s << std::setw(12)
          << i.work_s << std::setw(7) << as_text(i.nodes);
    table << std::setw(12) << percent(i.efficiency);
    if (intervals) table << std::setw(13) << percent(i.interval_efficiency);
    table << '\n';
  }
  if (intervals)
    table << "Iterations overlap: an interval lasts from the end of those before to the end of this one.\n";
  auto const is_above_1 = [](std::optional<double> const& e) { return e.value_or(0) > 1 + 5e-4; };  // as shown
  if (std::ranges::any_of(iterations, [&](iteration_summary const& i) {
        return is_above_1(i.efficiency) || (intervals && is_above_1(i.interval_efficiency));
      })) {
    table
        << "Above 100 %: "
        << (simulation
                ? "the work of a step across an interval's end counts as done evenly, and a node may be faster "
                  "than its capacity for a time: use what others of its host leave, or a period's share of a quota at "
                  "once.\n"
                : "the nodes of one machine share its cores, and one may use what others leave.\n");
  }
  return table.str();
}

std::string summary::estimates_line() const {
  if (!simulation) return "";
  std::map<std::string, std::string> kernels_of;
  for (auto const& [kernel, sources] : simulation->estimates) {
    for (auto const& [source, count] : sources) {
      std::string& kernels = kernels_of[source];
      kernels += (kernels.empty() ? "" : ", ") + kernel;
    }
  }
  std::string line;
  for (auto const& [source, kernels] : kernels_of) {
    std::string const from = source == "platform" ? "platform " + simulation->platform : source;
    line += (line.empty() ? "" : "; ") + from + ": " + kernels;
  }
  return line;
}

std::string summary::interval_line() const {
  if (!simulation) return "";
  if (!simulation->interval) return "not backed by measurements: " + simulation->interval_from;
  base::text_writer line;
  line.precision(4);
  line << simulation->interval->low_s << " to " << simulation->interval->high_s << " s, which "
       << simulation->interval_from;
  return line.str();
}

}  // namespace ovlp
