// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/identities.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/records/summary.hpp>

#include "checked_records.hpp"

// The identities, and why each of them holds.
//
// clang-format off
//   names       what a record refers to, the definitions name                               record.hpp
//   steps       a step begins before it ends; work <= computed <= what fits in its time     step_record
//   threads     a DPS thread executes one step at a time, wherever it lives                 DESIGN: DPS thread
//   kernels     kernels lie in a step of their operation, one after another; its work is the sum of theirs
//                                                                                           kernel_record
//   waits       an operation waits between two steps of its own                             wait_record
//   posts       an object is posted once, and taken once, by the thread and operation it was posted to, not before;
//               until a call has ended, once at most                                        group: its total has come
//   messages    sent <= delivered, each message once; until a call has ended, once at most
//   transfers   handed over <= first byte <= end of latency <= last byte <= delivered, with the bytes sent; sent <=
//               last byte                                                                   transfer_record
//   nodes       launched, joined, released, in turn; what a node does, it does while it is held; node 0 is never released
//   calls       what belongs to a call happens from its begin to its end                    call_record
//   capacity    a node computes no more than its capacity allows while it is held           A(t), docs/dynamic-efficiency.md
//   intervals   those of a call's iterations follow each other from its begin to its end; their work adds up to that of
//               the call, and their mean efficiency, weighted by A, is the call's           docs/dynamic-efficiency.md
//   POP         parallel = load balance x communication; communication = serialization x transfer; none is above 1, or
//               the window says why                                                         docs/reading-a-run.md
//   path        the critical path's pieces follow each other; their shares by activity add up to the run's time, those
//               of steps and messages by node and link to what they took of it
//   summary     its counts and sums are those of the call's records                         docs/formats/summary.md
// clang-format on

namespace ovlp::analysis {

records_seen records_seen::of(run_facts const& about) {
  records_seen what;
  what.of_all_nodes = about.contains("complete") && !about.contains("incomplete");
  what.of_flow_graphs = !about.contains("trace");
  if (about.contains("clocks")) {
    for (auto const& clock : nlohmann::json::parse(about.at("clocks"))) {
      auto const error_s = clock.find("error_s");
      bool const known = error_s != clock.end() && error_s->is_number();  // null: nothing was told that would say it
      what.clock_error_s = std::max(what.clock_error_s, known ? std::abs(error_s->get<double>()) : HUGE_VAL);
    }
  }
  if (about.contains("platform")) {
    nlohmann::json const platform = nlohmann::json::parse(about.at("platform"), nullptr, false);
    if (platform.is_object() && platform.contains("nodes")) {
      for (auto const& kind : platform.at("nodes")) {
        if (kind.contains("quota"))
          what.burst_s =
              std::max(what.burst_s, kind.at("quota").value("period_s", 0.0) + kind.at("quota").value("carry_s", 0.0));
        double fastest = 1 + 6 * kind.value("speed_deviation", 0.0);
        if (kind.contains("speed_over_time")) {
          for (auto const& [from_s, factor] : kind.at("speed_over_time").get<std::vector<std::pair<double, double>>>())
            fastest = std::max(fastest, factor);
        }
        what.most_speed = std::max(what.most_speed, fastest);
        if (platform.contains("host") && !kind.contains("quota"))
          what.shared_cores = std::max(what.shared_cores, kind.value("cores", 1.0) * kind.value("speed", 1.0));
      }
    }
  }
  return what;
}

identities::identities(recorded_run const& run, records_seen what)
    : implementation_(std::make_unique<checked_records>(run, what)) {}
identities::~identities() = default;

std::vector<std::string> identities::broken() const { return implementation_->check().lines(); }

namespace {

bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 + 1e-9 * std::max(std::abs(a), std::abs(b)); }

double sum_of(std::vector<path_cost> const& costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0,
                         [](double sum, path_cost const& c) { return sum + c.seconds; });
}

}  // namespace

std::vector<std::string> identities::broken(critical_path const& path, path_costs const& costs) const {
  findings found;
  double before_s = path.start_s;
  auto const expect_next = [&](double start_s, double end_s) {
    if (std::abs(start_s - before_s) > 1e-9 || end_s < start_s)
      found.add("pieces of the critical path follow each other from the run's start to its end",
                "one from " + seconds(start_s) + " to " + seconds(end_s) + " after " + seconds(before_s));
    before_s = end_s;
  };
  for (path_piece const& p : path.pieces) expect_next(p.start_s, p.end_s);
  expect_next(path.end_s, path.end_s);
  double const rounded_s = 1e-9 + 1e-9 * path.run_s();
  double of_steps_s = 0, of_messages_s = 0;
  for (path_piece const& p : path.pieces) {
    switch (p.what) {
      case path_activity::step: of_steps_s += p.end_s - p.start_s; break;
      case path_activity::launch:
      case path_activity::main_program:
      case path_activity::unrecorded: break;
      default: of_messages_s += p.end_s - p.start_s;
    }
  }
  auto const expect_sum = [&](char const* of, std::vector<path_cost> const& shares, double expected_s) {
    if (std::abs(sum_of(shares) - expected_s) > rounded_s)
      found.add("shares of the critical path add up",
                std::string("by ") + of + " " + seconds(sum_of(shares)) + " of " + seconds(expected_s));
  };
  expect_sum("activity", costs.activities, path.run_s());
  expect_sum("operation", costs.operations, of_steps_s);
  expect_sum("node", costs.nodes, of_steps_s);
  expect_sum("edge", costs.edges, of_messages_s);
  expect_sum("link", costs.links, of_messages_s);
  if (sum_of(costs.kernels) > of_steps_s + rounded_s)
    found.add("kernels on the critical path lie in its steps",
              seconds(sum_of(costs.kernels)) + " of " + seconds(of_steps_s));
  return found.lines();
}

std::vector<std::string> identities::broken(std::vector<pop_window> const& windows) const {
  checked_records& run = *implementation_;
  run.check();  // for what is held when
  findings found;
  for (pop_window const& w : windows) {
    std::string const where = w.iteration == 0
                                  ? "run"
                                  : "call " + std::to_string(w.call) + ", iteration " + std::to_string(w.iteration) +
                                        " from " + seconds(w.start_s) + " to " + seconds(w.end_s);
    auto const expect = [&](bool holds, std::string_view identity, std::string const& figures) {
      if (!holds) found.add(identity, where + ": " + figures);
    };
    expect(equal(w.parallel, w.load_balance * w.communication),
           "parallel efficiency = load balance x communication efficiency",
           figure(w.parallel) + ", " + figure(w.load_balance) + " x " + figure(w.communication));
    expect(
        !w.transfer || equal(w.communication, *w.serialization * *w.transfer),
        "communication efficiency = serialization x transfer",
        figure(w.communication) + ", " + figure(w.serialization.value_or(0)) + " x " + figure(w.transfer.value_or(0)));
    expect(w.load_balance <= 1 + 1e-9, "load balance is at most 1", figure(w.load_balance));
    double const highest = std::max({w.parallel, w.communication, w.serialization.value_or(0), w.transfer.value_or(0)});
    expect(highest <= 1 + 1e-9 || !w.remarks.empty(), "an efficiency above 1 has its reason beside it",
           figure(highest));
    if (!run.simulated() || w.communication <= 1 + 1e-9) continue;
    double most = 1;
    for (auto const& [number, work_s] : run.across_s(w.start_s, w.end_s)) {
      double const held_s = run.held_s(number, w.start_s, w.end_s) * run.capacity_of(number);
      most = std::max(most, 1 + (held_s > 0 ? work_s / held_s : std::numeric_limits<double>::infinity()));
    }
    double const length_s = w.end_s - w.start_s;
    if (length_s > 0) most += run.seen.burst_s / length_s;
    most *= run.seen.most_speed;
    expect(w.communication <= most + 1e-9, "a node computes no more than its capacity in a window",
           "communication efficiency " + figure(w.communication));
  }
  return found.lines();
}

std::vector<std::string> identities::broken(std::uint64_t call, dynamic_efficiency::report const& figures) const {
  checked_records& run = *implementation_;
  run.check();
  findings found;
  auto const of = run.calls.find(call);
  if (of == run.calls.end() || !of->second.begin_s || !of->second.end_s) return {};
  double const begin_s = *of->second.begin_s, end_s = *of->second.end_s;
  double work_s = 0, none_s = 0;
  std::map<std::int32_t, double> of_iterations;
  for (recorded_run::step const& s : run.run.steps) {
    recorded_run::purpose const& what = run.run.purposes[s.at.purpose];
    if (what.call != call) continue;
    work_s += s.work_s;
    (what.iteration == 0 ? none_s : of_iterations[what.iteration]) += s.work_s;
  }
  double const burst_s =
      run.seen.burst_s * std::accumulate(run.run.names.capacities.begin(), run.run.names.capacities.end(), 0.0);
  auto const capacity = [&](double from_s, double to_s) {
    double sum_s = 0;
    for (std::uint32_t n = 0; n < run.run.names.nodes; ++n) sum_s += run.held_s(n, from_s, to_s) * run.capacity_of(n);
    return sum_s;
  };
  auto const most = [&](double from_s, double to_s) { return run.seen.most_speed * capacity(from_s, to_s); };
  std::string const where = "call " + std::to_string(call);
  if (!equal(figures.efficiency * capacity(begin_s, end_s), work_s))
    found.add("a call's efficiency is its work by what the held nodes could have done",
              where + ": " + figure(figures.efficiency) + " x " + seconds(capacity(begin_s, end_s)) + ", work " +
                  seconds(work_s));
  for (window_efficiency const& w : figures.windows) {
    double const held_s = capacity(w.start_s, w.end_s);
    double const unknown_s = capacity(begin_s, end_s) / 1024;  // where work lies in bins of a 4096th
    double const most_s = most(w.start_s, w.end_s) + unknown_s + burst_s;
    if (!run.simulated() || w.efficiency * held_s <= most_s) continue;
    double across_s = 0;
    for (auto const& [number, of_node] : run.across_s(w.start_s, w.end_s)) across_s += of_node;
    if (w.efficiency * held_s > most_s + across_s)
      found.add(
          "the work of a window fits in what the held nodes could do",
          where + ", from " + seconds(w.start_s) + " to " + seconds(w.end_s) + ": efficiency " + figure(w.efficiency));
  }
  if (figures.iterations.empty()) return found.lines();
  double before_s = begin_s, intervals_s = 0, weighted_s = 0, sum_s = none_s;
  for (iteration_efficiency const& i : figures.iterations) {
    std::string const here = where + ", iteration " + std::to_string(i.index);
    if (i.interval_start_s != before_s || i.interval_end_s < before_s)
      found.add("intervals of iterations follow each other",
                here + ": from " + seconds(i.interval_start_s) + ", the one before to " + seconds(before_s));
    before_s = i.interval_end_s;
    intervals_s += i.interval_work_s;
    sum_s += i.work_s;
    double const held_s = capacity(i.interval_start_s, i.interval_end_s);
    weighted_s += i.interval_efficiency.value_or(0) * held_s;
    if (!equal(i.work_s, of_iterations[i.index]))
      found.add("the work of an iteration is that of its steps",
                here + ": " + seconds(i.work_s) + " of " + seconds(of_iterations[i.index]));
    if (!run.simulated()) continue;
    if (double const most_s = most(i.start_s, i.end_s); i.work_s > most_s * (1 + 1e-9) + 1e-9 + burst_s)
      found.add("an iteration's work fits in what the held nodes could do",
                here + ": " + seconds(i.work_s) + " of " + seconds(most_s));
    double const most_s = most(i.interval_start_s, i.interval_end_s) + burst_s;
    if (i.interval_work_s <= most_s * (1 + 1e-9) + 1e-9) continue;
    double across_s = 0;
    for (auto const& [number, of_node] : run.across_s(i.interval_start_s, i.interval_end_s)) across_s += of_node;
    if (i.interval_work_s > most_s * (1 + 1e-9) + across_s + 1e-9)
      found.add("the work of an interval fits in what the held nodes could do",
                here + ": " + seconds(i.interval_work_s) + " of " + seconds(held_s));
  }
  if (before_s != end_s)
    found.add("intervals of iterations follow each other",
              where + ": to " + seconds(before_s) + " of " + seconds(end_s));
  if (!equal(intervals_s, work_s) || !equal(sum_s, work_s))
    found.add("the work of a call's iterations, or intervals, adds up to that of the call",
              where + ": iterations and none " + seconds(sum_s) + ", intervals " + seconds(intervals_s) + ", call " +
                  seconds(work_s));
  if (!equal(weighted_s, figures.efficiency * capacity(begin_s, end_s)))
    found.add("the mean efficiency of intervals, weighted by what nodes could do, is the call's",
              where + ": " + seconds(weighted_s) + " of " + seconds(figures.efficiency * capacity(begin_s, end_s)));
  return found.lines();
}

std::vector<std::string> identities::broken(summary const& figures) const {
  checked_records& run = *implementation_;
  run.check();
  findings found;
  std::optional<call_record> last;
  for (call_record const& r : run.run.calls)
    if (!r.begins) last = r;
  if (!last || !run.seen.of_all_nodes) return {};
  std::uint64_t const call = last->call;
  auto const expect = [&](char const* name, double shown, double recorded) {
    if (!equal(shown, recorded))
      found.add("the summary's figures are those of the records",
                std::string(name) + " " + figure(shown) + " of " + figure(recorded));
  };
  double steps = 0, work_s = 0, computed_s = 0, objects = 0, bytes = 0, controls = 0;
  for (recorded_run::step const& s : run.run.steps) {
    if (run.run.purposes[s.at.purpose].call != call) continue;
    ++steps;
    work_s += s.work_s;
    computed_s += s.computed_s;
  }
  for (recorded_run::message const& m : run.run.messages) {
    if (m.call != call || !recorded_run::is_known(m.sent_s)) continue;
    ++(m.object != recorded_run::none ? objects : controls);
    bytes += static_cast<double>(m.bytes);
  }
  double const begin_s = run.calls.at(call).begin_s.value_or(last->at_s);
  double held_s = 0;
  for (std::uint32_t n = 0; n < run.run.names.nodes; ++n) held_s += run.held_s(n, begin_s, last->at_s);
  expect("time_s", figures.time_s, last->at_s - begin_s);
  expect("work_s", figures.work_s, work_s);
  if (run.simulated()) expect("overhead_s", figures.overhead_s, computed_s - work_s);
  expect("atomic_steps", static_cast<double>(figures.atomic_steps), steps);
  expect("transfers", static_cast<double>(figures.transfers), objects);
  expect("bytes", static_cast<double>(figures.bytes), bytes);
  expect("control_messages", static_cast<double>(figures.control_messages), controls);
  expect("held_node_s", figures.held_node_s, held_s);
  return found.lines();
}

std::vector<std::string> identities::broken_anywhere() const {
  std::vector<std::string> all = broken();
  checked_records const& run = *implementation_;
  auto const has_ended = [](auto const& c) { return c.second.begin_s && c.second.end_s; };
  if (!run.seen.of_all_nodes || !run.names_hold || std::ranges::none_of(run.calls, has_ended)) return all;
  dynamic_efficiency dynamic(run.run.names.capacities);
  for (node_record const& r : run.run.nodes) dynamic.node(r);
  for (std::uint32_t const s : run.run.steps_by_end()) dynamic.step(run.run.record_of(run.run.steps[s]));
  auto const take = [&](std::vector<std::string> const& lines) { all.insert(all.end(), lines.begin(), lines.end()); };
  critical_path const path = find_critical_path(run.run);
  take(broken(path, costs_of(path, run.run.names)));
  take(broken(pop_metrics(run.run).find()));
  for (auto const& [call, of] : run.calls) {
    if (of.begin_s && of.end_s) take(broken(call, dynamic.take(call, *of.begin_s, *of.end_s)));
  }
  return all;
}

}  // namespace ovlp::analysis
