// SPDX-License-Identifier: BSD-3-Clause
#include "server/cluster_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/statistics.hpp>

namespace ovlp::cluster {
namespace {

/// Sums of many numbers differ with their order.
bool about_equal(double a, double b, double of) { return std::abs(a - b) <= 1e-9 * std::max(1.0, of); }

void expect(bool holds, std::string const& what) {
  if (!holds) throw std::logic_error("accounts of a cluster: " + what);
}

}  // namespace

void expect_accounts(cluster_run const& of) {
  double of_jobs_node_s = 0;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    job const& asked = of.of->jobs[j];
    job_result const& got = of.jobs[j];
    expect(got.first_nodes > 0, "job '" + asked.name + "' is lost");
    expect(got.start_s >= asked.arrival_s && got.end_s >= got.start_s && got.end_s <= of.end_s,
           "job '" + asked.name + "' runs before it has come, or beyond the end");
    expect(got.held_node_s <= got.most_nodes * (got.end_s - got.start_s) * (1 + 1e-9),
           "job '" + asked.name + "' has held more than its nodes");
    of_jobs_node_s += got.held_node_s;
  }
  double const available_node_s = of.nodes * of.makespan_s();
  expect(about_equal(of_jobs_node_s, of.held_node_s, available_node_s), "node-seconds of jobs are not those held");
  expect(about_equal(of.held_node_s + of.idle_node_s, available_node_s, available_node_s),
         "held and idle are not all node-seconds");
  expect(of.idle_node_s >= -1e-9 * available_node_s, "more nodes are held than there are");

  // What is held at each time, from the list of holdings alone.
  std::vector<node_count> by_job(of.jobs.size(), 0);
  std::uint64_t held = 0;
  double last_s = of.begin_s, integral = 0;
  for (holding const& next : of.holdings) {
    expect(next.at_s >= last_s, "holdings are not in the order of time");
    integral += static_cast<double>(held) * (next.at_s - last_s);
    last_s = next.at_s;
    held = held + next.nodes - by_job[next.job];
    by_job[next.job] = next.nodes;
    expect(held <= of.nodes, "more nodes are held than there are");
  }
  expect(held == 0, "nodes are held at the end");
  expect(about_equal(integral, of.held_node_s, available_node_s), "holdings do not add up to what is held");
}

namespace {

/// Our CSV has no quotes.
std::string without_commas(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ',' || c == '\n' || c == '\r'; }, ' ');
  return name;
}

}  // namespace

std::string csv_of(std::vector<cluster_run> const& all) {
  static constexpr std::array ends{"completed", "limit", "scheduler", "failed"};
  base::csv_writer rows(
      "scheduler,job,name,user,arrival_s,start_s,end_s,requested_nodes,first_nodes,most_nodes,changes,held_node_s,end",
      12);
  for (cluster_run const& of : all) {
    for (std::size_t j = 0; j < of.jobs.size(); ++j) {
      job const& asked = of.of->jobs[j];
      job_result const& got = of.jobs[j];
      rows.row(of.scheduler, j, without_commas(asked.name), without_commas(asked.user), asked.arrival_s, got.start_s,
               got.end_s, asked.requested, got.first_nodes, got.most_nodes, got.changes, got.held_node_s,
               ends[static_cast<std::size_t>(got.end)]);
    }
  }
  return rows.text();
}

cluster_figures figures_of(cluster_run const& of) {
  cluster_figures all{};
  all.makespan_s = of.makespan_s();
  all.held_node_s = of.held_node_s;
  double const available_node_s = of.nodes * of.makespan_s();
  all.utilization = available_node_s > 0 ? of.held_node_s / available_node_s : 0;
  if (of.jobs.empty()) return all;
  std::vector<double> waits_s, turnarounds_s, slowdowns;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    double const arrival_s = of.of->jobs[j].arrival_s, run_s = of.jobs[j].end_s - of.jobs[j].start_s;
    constexpr double bound_s = 10;
    waits_s.push_back(of.jobs[j].start_s - arrival_s);
    turnarounds_s.push_back(of.jobs[j].end_s - arrival_s);
    slowdowns.push_back(std::max(1.0, turnarounds_s.back() / std::max(run_s, bound_s)));
  }
  all.mean_wait_s = base::mean(waits_s);
  all.longest_wait_s = *std::ranges::max_element(waits_s);
  all.mean_turnaround_s = base::mean(turnarounds_s);
  all.mean_bounded_slowdown = base::mean(slowdowns);
  std::ranges::sort(turnarounds_s);
  all.median_turnaround_s = base::median(turnarounds_s);
  all.p95_turnaround_s = turnarounds_s[(turnarounds_s.size() - 1) * 95 / 100];
  return all;
}

}  // namespace ovlp::cluster
