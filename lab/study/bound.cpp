// SPDX-License-Identifier: BSD-3-Clause
#include "bound.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::lab::study {
namespace {

using nlohmann::json;

/// A program says the time of one of its calls; which, its record does not tell. One has ended.
analysis::run_call call_of_length(recorded_run const& run, double time_s) {
  std::vector<analysis::run_call> calls = analysis::call_list(run).all();
  std::erase_if(calls, [](analysis::run_call const& c) { return !c.end_s; });
  return *std::ranges::min_element(
      calls, {}, [&](analysis::run_call const& c) { return std::abs(*c.end_s - c.start_s - time_s); });
}

json kinds_of(simulated_run const& run) { return run.platform.value("nodes", json::array({json::object()})); }

double latency_of_link(json const& kind) { return kind.value("link", json::object()).value("latency_s", 0.0); }

/// What times become, at best: of any two kinds of nodes.
double least_latency_factor(simulated_run const& before, simulated_run const& after) {
  auto const of_network = [](simulated_run const& run) { return run.platform.at("network").value("latency_s", 0.0); };
  std::optional<double> least;
  json const kinds = kinds_of(before), changed = kinds_of(after);
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double const was_s = of_network(before) + latency_of_link(kinds[a]) + latency_of_link(kinds[b]);
      double const is_s = of_network(after) + latency_of_link(changed[a]) + latency_of_link(changed[b]);
      if (was_s > 0) least = std::min(least.value_or(is_s / was_s), is_s / was_s);
    }
  }
  return least.value_or(1);
}

/// The largest quotient of numbers at these places, after the changes and before.
double most(std::initializer_list<char const*> places, simulated_run before, simulated_run after) {
  std::optional<double> largest;
  for (char const* const place : places) {
    auto const was = base::values_at(before.platform, place), is = base::values_at(after.platform, place);
    for (std::size_t i = 0; i < was.size(); ++i) {
      double const quotient = is[i]->get<double>() / was[i]->get<double>();
      largest = std::max(largest.value_or(quotient), quotient);
    }
  }
  return largest.value_or(1);
}

double fastest(simulated_run const& run) {
  double speed = 0;
  for (json const& kind : kinds_of(run)) speed = std::max(speed, kind.value("speed", 1.0));
  return speed;
}

}  // namespace

time_bound::time_bound(stored_run const& record, double time_s) {
  recorded_run const run = record.load();
  analysis::critical_path const path = analysis::find_critical_path(run);
  analysis::run_call const call = call_of_length(run, time_s);
  auto const in_call_s = [&](double start_s, double end_s) {
    return std::max(0.0, std::min(end_s, *call.end_s) - std::max(start_s, call.start_s));
  };
  for (analysis::path_piece const& p : path.pieces) {
    double const length_s = in_call_s(p.start_s, p.end_s);
    switch (p.what) {
      case analysis::path_activity::step: spent_.steps += length_s; break;
      case analysis::path_activity::send:
      case analysis::path_activity::receive: spent_.processors += length_s; break;
      case analysis::path_activity::network: {
        double const latency_s = in_call_s(p.start_s, p.start_s + p.latency_s);
        spent_.latency += latency_s;
        spent_.bandwidth += length_s - latency_s;
        break;
      }
      case analysis::path_activity::message: spent_.notices += length_s; break;
      case analysis::path_activity::launch:
      case analysis::path_activity::main_program: spent_.others += length_s; break;
      case analysis::path_activity::unrecorded: break;  // nobody knows what becomes of it
    }
  }
  for (analysis::path_kernel const& k : path.kernels) {
    double const length_s = in_call_s(k.start_s, k.end_s);
    spent_.steps -= length_s;
    kernel_seconds& all = spent_.kernels[k.name];
    all.elapsed += length_s;
    if (length_s > 0) all.work += k.work_s * length_s / (k.end_s - k.start_s);
  }
}

std::optional<double> time_bound::with(std::vector<change> const& changes, simulated_run const& before,
                                       simulated_run const& after) const {
  if (before.nodes != after.nodes) return std::nullopt;
  double const latency = least_latency_factor(before, after);
  double const computing = 1 / most({"nodes[].speed"}, before, after);
  double bound_s = spent_.others + computing * (spent_.steps + spent_.processors) + latency * spent_.latency +
                   spent_.bandwidth / most({"network.bandwidth_Bps", "nodes[].link.bandwidth_Bps"}, before, after) +
                   std::min({1.0, latency, computing}) * spent_.notices;
  for (auto const& [kernel, spent] : spent_.kernels) {
    double factor = 1;
    for (change const& one : changes) {
      if (!one.kernel.empty() && names_kernel(one.kernel, kernel)) factor *= one.kernel_time;
    }
    // Part of its time was for others on the same cores, which this makes no longer.
    double const alone = std::min(spent.elapsed, spent.work / fastest(before));
    bound_s += computing * (spent.elapsed + (factor - 1) * (factor < 1 ? spent.elapsed : alone));
  }
  return bound_s;
}

}  // namespace ovlp::lab::study
