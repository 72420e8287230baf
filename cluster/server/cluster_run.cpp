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

/// Each job's stretches follow each other from its start to its end, and tell all that it has held and worked.
void expect_stretches(cluster_run const& of) {
  struct told {
    double to_s, held_node_s = 0, work_node_s = 0;
  };
  std::vector<told> jobs;
  for (job_result const& one : of.jobs) jobs.push_back({one.start_s});
  for (stretch const& one : of.stretches) {
    told& job = jobs[one.job];
    expect(one.from_s == job.to_s && one.to_s >= one.from_s && one.efficiency >= 0 && one.held_node_s >= 0,
           "the stretches of job '" + of.of->jobs[one.job].name + "' do not follow each other");
    job = {one.to_s, job.held_node_s + one.held_node_s, job.work_node_s + one.efficiency * one.held_node_s};
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    job_result const& got = of.jobs[j];
    bool const all = jobs[j].to_s == got.end_s && about_equal(jobs[j].held_node_s, got.held_node_s, got.held_node_s) &&
                     about_equal(jobs[j].work_node_s, got.work_node_s, got.held_node_s);
    expect(all, "the stretches of job '" + of.of->jobs[j].name + "' are not all that it has done");
  }
}

}  // namespace

void expect_accounts(cluster_run const& of) {
  double of_jobs_node_s = 0, work_node_s = 0;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    job const& asked = of.of->jobs[j];
    job_result const& got = of.jobs[j];
    expect(got.first_nodes > 0, "job '" + asked.name + "' is lost");
    expect(got.start_s >= asked.arrival_s && got.end_s >= got.start_s && got.end_s <= of.end_s,
           "job '" + asked.name + "' runs before it has come, or beyond the end");
    expect(got.held_node_s <= got.most_nodes * (got.end_s - got.start_s) * (1 + 1e-9),
           "job '" + asked.name + "' has held more than its nodes");
    of_jobs_node_s += got.held_node_s;
    work_node_s += got.work_node_s;
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
  expect_stretches(of);
  expect(about_equal(work_node_s, of.work_node_s, available_node_s), "work of jobs is not that of the cluster");
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
      "scheduler,job,name,user,arrival_s,start_s,end_s,requested_nodes,first_nodes,most_nodes,changes,held_node_s,"
      "efficiency,end",
      12);
  for (cluster_run const& of : all) {
    for (std::size_t j = 0; j < of.jobs.size(); ++j) {
      job const& asked = of.of->jobs[j];
      job_result const& got = of.jobs[j];
      rows.row(of.scheduler, j, without_commas(asked.name), without_commas(asked.user), asked.arrival_s, got.start_s,
               got.end_s, asked.requested, got.first_nodes, got.most_nodes, got.changes, got.held_node_s,
               got.held_node_s > 0 ? got.work_node_s / got.held_node_s : 1, ends[static_cast<std::size_t>(got.end)]);
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
  all.efficiency = available_node_s > 0 ? of.work_node_s / available_node_s : 0;
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
  all.median_turnaround_s = base::median(turnarounds_s);
  all.p95_turnaround_s = base::quantile(turnarounds_s, 0.95);
  return all;
}

}  // namespace ovlp::cluster
