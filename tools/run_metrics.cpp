// SPDX-License-Identifier: BSD-3-Clause
#include "run_metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/analysis/critical_path.hpp>
#include <ovlp/analysis/pop_metrics.hpp>

namespace ovlp::tools {
namespace {

using analysis::critical_path;
using analysis::path_activity;
using analysis::path_piece;
using json = nlohmann::ordered_json;
using seconds_by_name = std::map<std::string, double>;

std::string_view name_of(path_activity what) {
  constexpr std::array<std::string_view, 7> names{
      "steps", "sender's processor", "network", "receiver's processor", "messages", "launching nodes", "main program"};
  return names.at(static_cast<std::size_t>(what));
}

/// With the most seconds first.
json by_cost(seconds_by_name const& costs) {
  std::vector<std::pair<std::string, double>> sorted(costs.begin(), costs.end());
  std::ranges::stable_sort(sorted, [](auto const& a, auto const& b) { return a.second > b.second; });
  json all = json::array();
  for (auto const& [name, seconds] : sorted) all.push_back({{"name", name}, {"seconds", seconds}});
  return all;
}

json costs_of(critical_path const& path, run_definitions const& names) {
  seconds_by_name activities, operations, edges, nodes, links;
  auto const operation = [&](operation_place const& at, std::uint32_t number) {
    return names.graphs.at(at.graph).operations.at(number).name;
  };
  auto const node = [](std::uint32_t number) { return "node" + std::to_string(number); };
  for (path_piece const& p : path.pieces) {
    double const length_s = p.end_s - p.start_s;
    activities[std::string(name_of(p.what))] += length_s;
    switch (p.what) {
      case path_activity::step:
        operations[names.graphs.at(p.at.graph).name + ": " + operation(p.at, p.at.operation)] += length_s;
        nodes[node(p.at.node)] += length_s;
        break;
      case path_activity::launch:
      case path_activity::main_program: break;
      default:
        bool const is_edge = p.posted && p.to_operation < names.graphs.at(p.at.graph).operations.size();
        edges[is_edge ? names.graphs.at(p.at.graph).name + ": " + operation(p.at, p.at.operation) + " >> " +
                            operation(p.at, p.to_operation)
                      : "the runtime's own"] += length_s;
        links[node(p.source) + " >> " + node(p.destination)] += length_s;
    }
  }
  return {{"run_s", path.run_s()},
          {"length_s", path.length_s()},
          {"pieces", path.pieces.size()},
          {"activities", by_cost(activities)},
          {"operations", by_cost(operations)},
          {"edges", by_cost(edges)},
          {"kernels", by_cost(path.kernels)},
          {"nodes", by_cost(nodes)},
          {"links", by_cost(links)}};
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
                   {"global", or_null(w.global)}});
  }
  return all;
}

std::unique_ptr<analysis::pop_metrics> read_metrics(stored_run const* run) {
  if (run == nullptr) return nullptr;
  auto made = std::make_unique<analysis::pop_metrics>();
  run->read(*made);
  return made;
}

}  // namespace

nlohmann::ordered_json metrics_of(stored_run const& run, stored_run const* ideal, stored_run const* reference) {
  analysis::critical_path_finder finder;
  analysis::pop_metrics metrics;
  sinks both;
  both.add(finder);
  both.add(metrics);
  std::string const damage = run.read(both);
  auto const on_ideal = read_metrics(ideal), referred = read_metrics(reference);
  run_definitions const& names = run.definitions();
  return {{"application", names.application},
          {"backend", names.backend},
          {"nodes", names.nodes},
          {"missing", damage},
          {"critical_path", costs_of(finder.find(), names)},
          {"efficiencies", efficiencies(metrics.find(on_ideal.get(), referred.get()))}};
}

}  // namespace ovlp::tools
