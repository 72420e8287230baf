// SPDX-License-Identifier: BSD-3-Clause
#include "server/foresee.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>

namespace ovlp::cluster {
namespace {

/// Seconds of each iteration of a run that holds so many nodes after iteration k.
std::vector<double> times_of(job const& of, running_program& run,
                             std::function<node_count(std::size_t k)> const& held) {
  std::vector<double> all_s;
  node_count nodes = held(0);
  double since_s = 0;
  for (;;) {
    report const told = *run.next();
    switch (told.kind) {
      case report::kind_type::failed: throw config_error("job '" + of.name + "' " + told.why);
      case report::kind_type::started: since_s = told.at_s; break;
      case report::kind_type::released:
      case report::kind_type::joined: break;
      case report::kind_type::border:
        all_s.push_back(told.at_s - std::exchange(since_s, told.at_s));
        nodes = held(all_s.size());
        break;
      case report::kind_type::ended: all_s.push_back(told.at_s - since_s); return all_s;
    }
    run.go_on(std::vector<node_count>(nodes));
  }
}

/// What a change costs beyond what both numbers of nodes are forecast to take.
double change_of(job const& of, forecast const& expected, cluster_description const& on) {
  std::size_t const last = expected.nodes().size() - 1;
  std::size_t const changes = std::min<std::size_t>(last, expected.iterations() - 1);
  if (changes == 0) return 0;
  auto const place = [&](std::size_t k) { return last - std::min(k, changes); };
  auto const run = run_process(of, 0, of.possible.back(), on);
  auto const took_s = times_of(of, *run, [&](std::size_t k) { return of.possible[place(k)]; });
  if (took_s.size() != expected.iterations())
    throw config_error("job '" + of.name + "' does other iterations when its nodes change");
  double excess_s = 0;
  for (std::size_t k = 0; k < took_s.size(); ++k)
    excess_s += took_s[k] - expected.time_s(place(k), static_cast<std::uint32_t>(k + 1));
  return std::max(0.0, excess_s) / static_cast<double>(changes);
}

}  // namespace

forecast foresee(job const& of, cluster_description const& on) {
  std::vector<std::unique_ptr<running_program>> runs;  // all at once, each on a core while there are some
  for (node_count const nodes : of.possible) runs.push_back(run_process(of, 0, nodes, on));
  std::vector<std::vector<double>> time_s;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    time_s.push_back(times_of(of, *runs[i], [&](std::size_t) { return of.possible[i]; }));
    if (time_s[i].size() != time_s.front().size())
      throw config_error("job '" + of.name + "' does " + std::to_string(time_s.front().size()) + " iterations with " +
                         std::to_string(of.possible.front()) + " nodes and " + std::to_string(time_s[i].size()) +
                         " with " + std::to_string(of.possible[i]) + ": expected as many");
  }
  auto const iterations = static_cast<std::uint32_t>(time_s.front().size());
  forecast const still(of.possible, time_s, iterations, 0);
  return {of.possible, std::move(time_s), iterations, change_of(of, still, on)};
}

void foresee_all(workload& of, cluster_description const& on) {
  std::map<std::pair<std::vector<std::string>, std::vector<node_count>>, forecast> known;
  for (job& one : of.jobs) {
    if (one.program.empty()) continue;
    std::pair const key{one.program, one.possible};
    auto found = known.find(key);
    if (found == known.end()) found = known.emplace(key, foresee(one, on)).first;
    one.expected = found->second;
  }
}

}  // namespace ovlp::cluster
