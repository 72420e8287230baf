// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/path_costs.hpp>
#include <ovlp/records/names.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>

namespace ovlp::analysis {
namespace {

using seconds_by_name = std::map<std::string, double>;

std::string_view name_of(path_activity what) {
  constexpr std::array<std::string_view, 8> names{
      "steps",    "sender's processor", "network",      "receiver's processor",
      "messages", "launching nodes",    "main program", "not recorded"};
  return names.at(static_cast<std::size_t>(what));
}

std::vector<path_cost> dearest_first(seconds_by_name const& costs) {
  std::vector<path_cost> sorted;
  for (auto const& [name, seconds] : costs) sorted.push_back({name, seconds});
  std::ranges::stable_sort(sorted, [](auto const& a, auto const& b) { return a.seconds > b.seconds; });
  return sorted;
}

}  // namespace

path_costs costs_of(critical_path const& path, run_definitions const& names) {
  seconds_by_name activities, operations, kernels, edges, nodes, links;
  auto const operation = [&](operation_place const& at, std::uint32_t number) {
    return names.graphs.at(at.graph).operations.at(number).name;
  };
  for (path_piece const& p : path.pieces) {
    double const length_s = p.end_s - p.start_s;
    activities[std::string(name_of(p.what))] += length_s;
    switch (p.what) {
      case path_activity::step:
        operations[names.graphs.at(p.at.graph).name + ": " + operation(p.at, p.at.operation)] += length_s;
        nodes[name_of_node(p.at.node)] += length_s;
        break;
      case path_activity::launch:
      case path_activity::main_program:
      case path_activity::unrecorded: break;
      default:
        bool const is_edge = p.posted && p.to_operation < names.graphs.at(p.at.graph).operations.size();
        edges[is_edge ? names.graphs.at(p.at.graph).name + ": " + operation(p.at, p.at.operation) + " >> " +
                            operation(p.at, p.to_operation)
                      : "the runtime's own"] += length_s;
        links[name_of_node(p.source) + " >> " + name_of_node(p.destination)] += length_s;
    }
  }
  for (path_kernel const& k : path.kernels) kernels[k.name] += k.end_s - k.start_s;
  return {dearest_first(activities), dearest_first(operations), dearest_first(kernels),
          dearest_first(edges),      dearest_first(nodes),      dearest_first(links)};
}

}  // namespace ovlp::analysis
