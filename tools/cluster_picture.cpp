// SPDX-License-Identifier: BSD-3-Clause
#include "cluster_picture.hpp"

#include <algorithm>
#include <cstddef>

#include <ovlp/base/files.hpp>
#include <ovlp/charts/chart.hpp>

#include "results/over_time.hpp"

namespace ovlp::tools {
namespace {

constexpr std::size_t few_jobs = 10, picture_windows = 400;

/// As steps, until the run has ended: a value holds for its window. `all`: also where there is nothing.
charts::series steps_of(std::string name, std::size_t look, cluster::cluster_over_time const& by,
                        std::vector<double> const& sums, double over, bool all = true) {
  cluster::windows const& in = by.of;
  charts::series made{.name = std::move(name), .drawn_as = charts::mark::line, .look = look};
  for (std::size_t w = 0; w < in.count; ++w) {
    bool const shown = by.available_node_s[w] > 0 && (sums[w] > 0 || all);
    double const there = shown ? sums[w] / over : charts::gap;
    made.points.push_back({in.begin_s(w), there});
    made.points.push_back({in.begin_s(w + 1), there});
  }
  return made;
}

}  // namespace

void draw_cluster(std::vector<cluster::cluster_run> const& runs, std::string const& file) {
  cluster::windows const in = windows_of(runs, picture_windows);
  std::vector<charts::chart> panels;
  double most_waiting = 1;
  for (cluster::cluster_run const& run : runs) {
    bool const few = run.jobs.size() <= few_jobs;
    std::vector<std::size_t> groups;
    for (std::size_t j = 0; few && j < run.jobs.size(); ++j) groups.push_back(j);
    cluster::cluster_over_time const by = over_time(run, in, groups);
    double const width_s = in.width_s() > 0 ? in.width_s() : 1;
    charts::axis const time{.label = "Time [s]", .from = in.from_s, .to = in.to_s};
    charts::chart nodes{
        .title = run.title(), .x = time, .y = {.label = "Nodes", .from = 0, .to = static_cast<double>(run.nodes)}};
    for (std::size_t j = 0; j < by.held_by.size(); ++j)
      nodes.all.push_back(steps_of(run.of->jobs[j].name, j, by, by.held_by[j], width_s, false));
    if (!few) {
      nodes.all.push_back(steps_of("held", 0, by, by.held_node_s, width_s));
      nodes.all.push_back(steps_of("efficiency times held", 1, by, by.work_node_s, width_s));
    }
    charts::chart queue{.x = time, .y = {.label = "Jobs that wait", .from = 0}, .height = 200};
    queue.all.push_back(steps_of("", 2, by, by.waiting, 1));
    most_waiting = std::max(most_waiting, *std::ranges::max_element(by.waiting));
    panels.push_back(std::move(nodes));
    panels.push_back(std::move(queue));
  }
  for (std::size_t p = 1; p < panels.size(); p += 2) panels[p].y.to = most_waiting;
  base::write_output(file, charts::drawn(panels, *charts::image_named(file)));
}

}  // namespace ovlp::tools
