// SPDX-License-Identifier: BSD-3-Clause
#include "run_metrics.hpp"

#include <optional>
#include <string>
#include <vector>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/identities.hpp>
#include <ovlp/analysis/path_costs.hpp>
#include <ovlp/analysis/pop_metrics.hpp>

namespace ovlp::tools {
namespace {

using json = nlohmann::ordered_json;

json rows_of(std::vector<analysis::path_cost> const& costs) {
  json all = json::array();
  for (analysis::path_cost const& c : costs) all.push_back({{"name", c.name}, {"seconds", c.seconds}});
  return all;
}

json describe(analysis::critical_path const& path, analysis::path_costs const& costs) {
  return {{"run_s", path.run_s()},
          {"length_s", path.length_s()},
          {"pieces", path.pieces.size()},
          {"activities", rows_of(costs.activities)},
          {"operations", rows_of(costs.operations)},
          {"edges", rows_of(costs.edges)},
          {"kernels", rows_of(costs.kernels)},
          {"nodes", rows_of(costs.nodes)},
          {"links", rows_of(costs.links)}};
}

json or_null(std::optional<double> const& value) { return value ? json(*value) : json(); }

json efficiencies(std::vector<analysis::pop_window> const& windows) {
  json all = json::array();
  for (analysis::pop_window const& w : windows) {
    all.push_back({{"call", w.call},
                   {"iteration", w.iteration},
                   {"start_s", w.start_s},
                   {"end_s", w.end_s},
                   {"work_s", w.work_s},
                   {"node_seconds", w.node_seconds_s},
                   {"parallel", w.parallel},
                   {"load_balance", w.load_balance},
                   {"communication", w.communication},
                   {"serialization", or_null(w.serialization)},
                   {"transfer", or_null(w.transfer)},
                   {"computation_scaling", or_null(w.computation_scaling)},
                   {"global", or_null(w.global)},
                   {"remarks", w.remarks}});
  }
  return all;
}

/// Of another run, to compare with.
struct other_run {
  explicit other_run(stored_run const& stored)
      : run(stored.load()), metrics(run, analysis::records_seen::of(stored.about()).shared_cores > 0) {}
  recorded_run const run;
  analysis::pop_metrics const metrics;
};

}  // namespace

nlohmann::ordered_json metrics_of(stored_run const& stored, stored_run const* ideal, stored_run const* reference) {
  std::string damage;
  recorded_run const run = stored.load(&damage);
  analysis::records_seen const seen = analysis::records_seen::of(stored.about());
  analysis::identities const checked(run, seen);
  std::optional<other_run> on_ideal, referred;
  if (ideal != nullptr) on_ideal.emplace(*ideal);
  if (reference != nullptr) referred.emplace(*reference);
  run_definitions const& names = run.names;
  analysis::critical_path const path = analysis::find_critical_path(run);
  analysis::path_costs const costs = analysis::costs_of(path, names);
  std::vector<analysis::pop_window> const windows =
      analysis::pop_metrics(run, seen.shared_cores > 0)
          .find(on_ideal ? &on_ideal->metrics : nullptr, referred ? &referred->metrics : nullptr);
  std::vector<std::string> broken;
  if (damage.empty()) {
    for (auto const& lines : {checked.broken(), checked.broken(path, costs), checked.broken(windows)})
      broken.insert(broken.end(), lines.begin(), lines.end());
  }
  return {{"reservation", stored.reservation()},
          {"warning", warning_of(stored.processors())},
          {"application", names.application},
          {"backend", names.backend},
          {"nodes", names.nodes},
          {"missing", damage},
          {"broken", broken},
          {"critical_path", describe(path, costs)},
          {"efficiencies", efficiencies(windows)}};
}

}  // namespace ovlp::tools
