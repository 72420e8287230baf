// SPDX-License-Identifier: BSD-3-Clause
#include "server/over_time.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ovlp/base/csv.hpp>

namespace ovlp::cluster {
namespace {

/// Adds an amount that is the same in each second from one time to another.
void spread(std::vector<cluster_window>& over, double cluster_window::*sum, double from_s, double to_s, double amount) {
  if (amount == 0 || over.empty()) return;
  double const begin_s = over.front().from_s,
               window_s = (over.back().to_s - begin_s) / static_cast<double>(over.size());
  auto const window_of = [&](double at_s) {
    double const place = window_s > 0 ? std::floor((at_s - begin_s) / window_s) : 0;
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(over.size() - 1)));
  };
  std::size_t const first = window_of(from_s), last = window_of(to_s);
  if (first == last) {
    over[first].*sum += amount;
    return;
  }
  for (std::size_t w = first; w <= last; ++w) {
    double const inside_s = std::min(to_s, over[w].to_s) - std::max(from_s, over[w].from_s);
    over[w].*sum += amount * std::max(0.0, inside_s) / (to_s - from_s);
  }
}

}  // namespace

std::vector<cluster_window> over_time(cluster_run const& of, std::size_t windows) {
  std::vector<cluster_window> made;
  auto const edge_s = [&](std::size_t w) {
    return w == windows ? of.end_s
                        : of.begin_s + of.makespan_s() * static_cast<double>(w) / static_cast<double>(windows);
  };
  for (std::size_t w = 0; w < windows; ++w) made.push_back({edge_s(w), edge_s(w + 1)});

  std::vector<node_count> held(of.jobs.size(), 0);
  std::uint64_t all_held = 0;
  double since_s = of.begin_s;
  for (holding const& next : of.holdings) {
    double const node_s = static_cast<double>(all_held) * (next.at_s - since_s);
    spread(made, &cluster_window::held_node_s, since_s, next.at_s, node_s);
    since_s = next.at_s;
    all_held = all_held + next.nodes - held[next.job];
    held[next.job] = next.nodes;
  }
  for (stretch const& one : of.stretches)
    spread(made, &cluster_window::work_node_s, one.from_s, one.to_s, one.efficiency * one.held_node_s);
  double waited_s = 0;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    double const from_s = of.of->jobs[j].arrival_s, to_s = of.jobs[j].start_s;
    spread(made, &cluster_window::waiting_job_s, from_s, to_s, to_s - from_s);
    waited_s += to_s - from_s;
  }

  cluster_window sum{};
  for (cluster_window const& one : made) {
    sum.held_node_s += one.held_node_s;
    sum.work_node_s += one.work_node_s;
    sum.waiting_job_s += one.waiting_job_s;
    if (one.held_node_s > one.available_node_s(of.nodes) + 1e-9 * of.nodes * of.makespan_s())
      throw std::logic_error("a cluster over time: more nodes are held than there are");
  }
  auto const equal = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); };
  if (!made.empty() && !(equal(sum.held_node_s, of.held_node_s) && equal(sum.work_node_s, of.work_node_s) &&
                         equal(sum.waiting_job_s, waited_s)))
    throw std::logic_error("a cluster over time: windows do not add up to the whole");
  return made;
}

std::string over_time_csv(std::vector<cluster_run> const& all, std::size_t windows) {
  base::csv_writer rows("scheduler,from_s,to_s,held,efficiency,waiting", 12);
  for (cluster_run const& of : all) {
    for (cluster_window const& one : over_time(of, windows)) {
      double const available_node_s = one.available_node_s(of.nodes), window_s = one.to_s - one.from_s;
      if (window_s <= 0) continue;
      rows.row(of.scheduler, one.from_s, one.to_s, one.held_node_s / available_node_s,
               one.work_node_s / available_node_s, one.waiting_job_s / window_s);
    }
  }
  return rows.text();
}

}  // namespace ovlp::cluster
