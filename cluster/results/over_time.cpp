// SPDX-License-Identifier: BSD-3-Clause
#include "results/over_time.hpp"

#include <algorithm>
#include <optional>

#include <ovlp/base/csv.hpp>

namespace ovlp::cluster {
namespace {

/// Adds what there is of it at a time, times that time, to each window.
void spread(std::vector<double>& to, windows const& in, double from_s, double to_s, double what) {
  if (!(to_s > from_s) || from_s >= in.to_s || what == 0 || !(in.width_s() > 0)) return;
  auto w = static_cast<std::size_t>(std::max(0.0, (from_s - in.from_s) / in.width_s()));
  if (w > 0) --w;  // which rounding may have passed
  for (; w < in.count; ++w) {
    // The last window takes what rounding leaves over.
    double const begin_s = w == 0 ? in.from_s : in.begin_s(w), end_s = w + 1 == in.count ? in.to_s : in.begin_s(w + 1);
    if (begin_s >= to_s) break;
    to[w] += what * std::max(0.0, std::min(end_s, to_s) - std::max(begin_s, from_s));
  }
}

}  // namespace

windows windows_of(std::vector<cluster_run> const& all, std::size_t count) {
  windows made{0, 0, count};
  if (all.empty()) return made;
  made.from_s = std::ranges::min_element(all, {}, &cluster_run::begin_s)->begin_s;
  made.to_s = std::ranges::max_element(all, {}, &cluster_run::end_s)->end_s;
  return made;
}

cluster_over_time over_time(cluster_run const& run, windows const& in, std::vector<std::size_t> const& groups) {
  std::vector<double> const none(in.count, 0.0);
  cluster_over_time made{in, none, none, none, none, {}};
  spread(made.available_node_s, in, run.begin_s, run.end_s, run.nodes);
  std::size_t const several = groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
  made.held_by.assign(several, none);

  std::vector<node_count> by_job(run.jobs.size(), 0);
  std::vector<double> held(several + 1, 0), since_s(several + 1, run.begin_s);  // of each group, and at last of all
  auto const change = [&](std::size_t group, std::vector<double>& sums, holding const& next) {
    spread(sums, in, since_s[group], next.at_s, held[group]);
    since_s[group] = next.at_s;
    held[group] += static_cast<double>(next.nodes) - by_job[next.job];
  };
  for (holding const& next : run.holdings) {
    if (!groups.empty()) change(groups[next.job], made.held_by[groups[next.job]], next);
    change(several, made.held_node_s, next);
    by_job[next.job] = next.nodes;
  }
  for (stretch const& one : run.stretches)
    spread(made.work_node_s, in, one.from_s, one.to_s, one.efficiency * one.nodes);
  for (std::size_t j = 0; j < run.jobs.size(); ++j)
    spread(made.waiting, in, run.of->jobs[j].arrival_s, run.jobs[j].start_s, 1 / in.width_s());
  return made;
}

std::string csv_over_time(std::vector<cluster_run> const& all, std::size_t windows) {
  base::csv_writer rows("scheduler,from_s,to_s,held_nodes,working_nodes,waiting_jobs,efficiency", 12);
  for (cluster_run const& run : all) {
    cluster_over_time const by = over_time(run, windows_of(all, windows));
    double const width_s = by.of.width_s();
    for (std::size_t w = 0; w < windows && width_s > 0; ++w) {
      std::optional<double> efficiency;  // none where the run is over
      if (by.available_node_s[w] > 0) efficiency = by.efficiency(w);
      rows.row(run.title(), by.of.begin_s(w), by.of.begin_s(w) + width_s, by.held_node_s[w] / width_s,
               by.work_node_s[w] / width_s, by.waiting[w], efficiency);
    }
  }
  return rows.text();
}

}  // namespace ovlp::cluster
