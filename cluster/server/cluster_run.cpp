// SPDX-License-Identifier: BSD-3-Clause
#include "server/cluster_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/statistics.hpp>

#include "results/over_time.hpp"

namespace ovlp::cluster {
namespace {

/// Sums of many numbers differ with their order.
bool about_equal(double a, double b, double of) { return std::abs(a - b) <= 1e-9 * std::max(1.0, of); }

void expect(bool holds, std::string const& what) {
  if (!holds) throw std::logic_error("accounts of a cluster: " + what);
}

void expect_work(cluster_run const& of, double available_node_s) {
  std::vector<double> work_node_s(of.jobs.size(), 0), last_s(of.jobs.size(), 0);
  for (std::size_t j = 0; j < of.jobs.size(); ++j) last_s[j] = of.jobs[j].start_s;
  for (stretch const& one : of.stretches) {
    expect(one.from_s >= last_s[one.job] && one.to_s >= one.from_s && one.to_s <= of.jobs[one.job].end_s,
           "job '" + of.of->jobs[one.job].name + "' computes twice at once, or when it does not run");
    expect(one.efficiency >= 0 && one.efficiency <= 1, "an efficiency is not of 0 to 1");
    last_s[one.job] = one.to_s;
    work_node_s[one.job] += one.work_node_s();
  }
  double all_node_s = 0;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    job_result const& got = of.jobs[j];
    std::string const name = "job '" + of.of->jobs[j].name + "'";
    expect(about_equal(work_node_s[j], got.work_node_s, got.held_node_s), name + ": its work is not that of stretches");
    expect(got.work_node_s <= got.held_node_s + 1e-9 * std::max(1.0, available_node_s),
           name + " has worked more than it has held");
    all_node_s += got.work_node_s;
  }
  expect(about_equal(all_node_s, of.work_node_s, available_node_s), "work of jobs is not all work");

  // Over time nothing is lost, and in no window is more done than held, or more held than there is.
  cluster_over_time const all = over_time(of, {of.begin_s, of.end_s, 100});
  double held_node_s = 0, windows_node_s = 0;
  for (std::size_t w = 0; w < all.work_node_s.size(); ++w) {
    double const rounding = 1e-9 * std::max(1.0, available_node_s);
    expect(all.work_node_s[w] >= 0 && all.work_node_s[w] <= all.held_node_s[w] + rounding &&
               all.held_node_s[w] <= all.available_node_s[w] + rounding,
           "in a window of time work, held and available node-seconds do not ascend");
    held_node_s += all.held_node_s[w];
    windows_node_s += all.work_node_s[w];
  }
  expect(about_equal(held_node_s, of.held_node_s, available_node_s), "windows do not add up to what is held");
  expect(about_equal(windows_node_s, of.work_node_s, available_node_s), "windows do not add up to all work");
}

}  // namespace

void expect_accounts(cluster_run const& of) {
  double of_jobs_node_s = 0;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    job const& asked = of.of->jobs[j];
    job_result const& got = of.jobs[j];
    if (got.first_nodes == 0) {
      bool const left_out = got.end == job_result::end_type::failed || got.end == job_result::end_type::unfinished;
      expect(left_out && got.held_node_s == 0 && got.work_node_s == 0 && got.most_nodes == 0,
             "job '" + asked.name + "' is lost");
      continue;
    }
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
  struct held_by_job {
    node_count now = 0, most = 0, first = 0;
    double since_s = 0, begin_s = 0, node_s = 0;
  };
  std::vector<held_by_job> by_job(of.jobs.size());
  std::uint64_t held = 0;
  double last_s = of.begin_s, integral = 0;
  for (holding const& next : of.holdings) {
    expect(next.at_s >= last_s, "holdings are not in the order of time");
    integral += static_cast<double>(held) * (next.at_s - last_s);
    last_s = next.at_s;
    held_by_job& one = by_job[next.job];
    held = held + next.nodes - one.now;
    one.node_s += one.now * (next.at_s - one.since_s);
    if (one.first == 0) one.first = next.nodes, one.begin_s = next.at_s;
    one.now = next.nodes;
    one.most = std::max(one.most, next.nodes);
    one.since_s = next.at_s;
    expect(held <= of.nodes, "more nodes are held than there are");
  }
  expect(held == 0, "nodes are held at the end");
  expect(about_equal(integral, of.held_node_s, available_node_s), "holdings do not add up to what is held");
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    job_result const& got = of.jobs[j];
    held_by_job const& one = by_job[j];
    if (got.first_nodes == 0) {
      expect(one.first == 0, "job '" + of.of->jobs[j].name + "' has held nodes and never started");
      continue;
    }
    expect(one.begin_s == got.start_s && one.since_s == got.end_s && one.first == got.first_nodes &&
               one.most == got.most_nodes && about_equal(one.node_s, got.held_node_s, available_node_s),
           "job '" + of.of->jobs[j].name + "' has not held what its holdings say");
  }
  expect_work(of, available_node_s);
}

namespace {

/// Our CSV has no quotes.
std::string without_commas(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ',' || c == '"'; }, ' ');
  return name;
}

}  // namespace

std::string csv_of(std::vector<cluster_run> const& all) {
  base::csv_writer rows(
      "scheduler,job,name,user,arrival_s,start_s,end_s,requested_nodes,first_nodes,most_nodes,changes,held_node_s,"
      "efficiency,"
      "end",
      12);
  for (cluster_run const& of : all) {
    for (std::size_t j = 0; j < of.jobs.size(); ++j) {
      job const& asked = of.of->jobs[j];
      job_result const& got = of.jobs[j];
      rows.row(of.title(), j, without_commas(asked.name), without_commas(asked.user), asked.arrival_s, got.start_s,
               got.end_s, asked.requested, got.first_nodes, got.most_nodes, got.changes, got.held_node_s,
               efficiency(got), name_of(got.end));
    }
  }
  return rows.text();
}

double bounded_slowdown(job const& asked, job_result const& got) {
  constexpr double bound_s = 10;
  return std::max(1.0, (got.end_s - asked.arrival_s) / std::max(got.end_s - got.start_s, bound_s));
}

double efficiency(job_result const& of) { return of.held_node_s > 0 ? of.work_node_s / of.held_node_s : 1; }

std::string name_of(job_result::end_type end) {
  static constexpr std::array names{"completed", "limit", "scheduler", "failed", "unfinished"};
  return names[static_cast<std::size_t>(end)];
}

cluster_figures figures_of(cluster_run const& of) {
  cluster_figures all{};
  all.makespan_s = of.makespan_s();
  all.held_node_s = of.held_node_s;
  double const available_node_s = of.nodes * of.makespan_s();
  all.utilization = available_node_s > 0 ? of.held_node_s / available_node_s : 0;
  all.efficiency = of.held_node_s > 0 ? of.work_node_s / of.held_node_s : 1;
  all.dynamic_efficiency = all.utilization * all.efficiency;
  if (of.jobs.empty()) return all;
  std::vector<double> waits_s, turnarounds_s, slowdowns;
  for (std::size_t j = 0; j < of.jobs.size(); ++j) {
    if (of.jobs[j].first_nodes == 0) continue;  // it has no turnaround
    double const arrival_s = of.of->jobs[j].arrival_s;
    waits_s.push_back(of.jobs[j].start_s - arrival_s);
    turnarounds_s.push_back(of.jobs[j].end_s - arrival_s);
    slowdowns.push_back(bounded_slowdown(of.of->jobs[j], of.jobs[j]));
  }
  if (waits_s.empty()) return all;
  all.mean_wait_s = base::mean(waits_s);
  all.longest_wait_s = *std::ranges::max_element(waits_s);
  all.mean_turnaround_s = base::mean(turnarounds_s);
  all.mean_bounded_slowdown = base::mean(slowdowns);
  all.median_turnaround_s = base::median(turnarounds_s);
  all.p95_turnaround_s = base::quantile(turnarounds_s, 0.95);
  return all;
}

}  // namespace ovlp::cluster
