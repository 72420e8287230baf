// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/pop_metrics.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::analysis {
namespace {

struct work_interval {
  double start_s, end_s, work_s;
  std::uint32_t node;
};

constexpr double least_held = 0.01;

}  // namespace

struct pop_metrics::implementation {
  struct window {
    std::uint64_t call;
    std::int32_t iteration;
    double start_s, end_s;
  };

  /// The steps of all calls, as much of them as windows of time hold, which follow one another.
  std::vector<pop_window> sum(std::vector<window> const& windows) const {
    std::vector<std::vector<double>> work_s(windows.size(), std::vector<double>(capacities.size(), 0));
    for (work_interval const& w : work) {
      double const length_s = w.end_s - w.start_s;
      auto in = std::ranges::lower_bound(windows, w.start_s, {}, &window::end_s);
      for (; in != windows.end() && in->start_s <= w.end_s; ++in) {
        double& sum_s = work_s[static_cast<std::size_t>(in - windows.begin())].at(w.node);
        if (length_s > 0) {
          double const inside_s = std::min(w.end_s, in->end_s) - std::max(w.start_s, in->start_s);
          sum_s += w.work_s * std::max(0.0, inside_s) / length_s;
        } else {
          sum_s += w.work_s;
          break;
        }
      }
    }
    std::vector<pop_window> all;
    for (std::size_t i = 0; i < windows.size(); ++i) all.push_back(efficiencies(windows[i], work_s[i]));
    return all;
  }

  pop_window efficiencies(window const& of, std::vector<double> const& work_s) const {
    pop_window made{of.call, of.iteration, of.start_s, of.end_s, 0, 0, 0, 0, 0, {}, {}, {}, {}};
    for (std::uint32_t n = 0; n < capacities.size(); ++n) {
      double const seconds_s = held_s(n, of.start_s, of.end_s), held = seconds_s * capacities[n];
      made.work_s += work_s[n];
      made.node_seconds_s += held;
      if (held > 0 && seconds_s >= least_held * (of.end_s - of.start_s))
        made.communication = std::max(made.communication, work_s[n] / held);
    }
    if (made.node_seconds_s > 0) made.parallel = made.work_s / made.node_seconds_s;
    if (made.communication > 0) made.load_balance = made.parallel / made.communication;
    return made;
  }

  double held_s(std::uint32_t node, double start_s, double end_s) const {
    auto const found = changes.find(node);
    if (found == changes.end()) return 0;
    double sum_s = 0, since_s = end_s;
    bool held = false;
    for (node_record const& r : found->second) {
      bool const is_held = r.change != node_change::released;
      if (is_held && !held) since_s = r.at_s;
      if (!is_held && held) sum_s += std::max(0.0, std::min(r.at_s, end_s) - std::max(since_s, start_s));
      held = is_held;
    }
    if (held) sum_s += std::max(0.0, end_s - std::max(since_s, start_s));
    return sum_s;
  }

  std::vector<double> capacities;
  std::vector<work_interval> work;
  std::map<std::uint64_t, std::map<std::int32_t, double>> ends_s;  ///< of iterations, by call
  std::map<std::uint32_t, std::vector<node_record>> changes;
  std::map<std::uint64_t, std::pair<double, double>> calls;  ///< those that have ended
  std::map<std::uint64_t, double> begun_s;
};

pop_metrics::pop_metrics() : implementation_(std::make_unique<implementation>()) {}
pop_metrics::~pop_metrics() = default;

void pop_metrics::begin(run_definitions const& names) { implementation_->capacities = names.capacities; }
void pop_metrics::step(step_record const& r) {
  implementation& run = *implementation_;
  if (r.work_s > 0) run.work.push_back({r.start_s, r.end_s, r.work_s, r.at.node});
  if (r.at.iteration < 1) return;
  double& end_s = run.ends_s[r.at.call].try_emplace(r.at.iteration, r.end_s).first->second;
  end_s = std::max(end_s, r.end_s);
}
void pop_metrics::node(node_record const& r) { implementation_->changes[r.node].push_back(r); }
void pop_metrics::call(call_record const& r) {
  implementation& run = *implementation_;
  if (r.begins) {
    run.begun_s[r.call] = r.at_s;
  } else {
    run.calls[r.call] = {run.begun_s[r.call], r.at_s};
  }
}

std::vector<pop_window> pop_metrics::find(pop_metrics const* ideal, pop_metrics const* reference) const {
  implementation const& run = *implementation_;
  if (run.calls.empty()) throw error("no efficiencies: expected a run of which a call has ended");
  double start_s = run.calls.begin()->second.first, end_s = 0;
  for (auto const& [node, changes] : run.changes) start_s = std::min(start_s, changes.front().at_s);
  for (auto const& [call, times] : run.calls) end_s = std::max(end_s, times.second);

  std::vector<pop_window> all = run.sum({{0, 0, start_s, end_s}});
  for (auto const& [call, times] : run.calls) {
    auto const iterations = run.ends_s.find(call);
    if (iterations == run.ends_s.end()) continue;
    std::vector<implementation::window> intervals;
    double from_s = times.first;
    for (auto const& [iteration, ends_s] : iterations->second) {
      bool const is_last = iteration == iterations->second.rbegin()->first;
      double const to_s = is_last ? times.second : std::max(from_s, ends_s);
      intervals.push_back({call, iteration, from_s, to_s});
      from_s = to_s;
    }
    std::ranges::copy(run.sum(intervals), std::back_inserter(all));
  }

  auto const same = [](std::vector<pop_window> const& in, pop_window const& as) {
    auto const found =
        std::ranges::find_if(in, [&](pop_window const& w) { return w.call == as.call && w.iteration == as.iteration; });
    return found == in.end() ? nullptr : &*found;
  };
  std::vector<pop_window> const on_ideal = ideal != nullptr ? ideal->find() : std::vector<pop_window>{};
  std::vector<pop_window> const referred = reference != nullptr ? reference->find() : std::vector<pop_window>{};
  for (pop_window& w : all) {
    if (auto const* there = same(on_ideal, w); there != nullptr && w.node_seconds_s > 0 && there->node_seconds_s > 0) {
      w.transfer = there->node_seconds_s / w.node_seconds_s;
      w.serialization = w.communication / *w.transfer;
    }
    if (auto const* there = same(referred, w); there != nullptr && w.work_s > 0) {
      w.computation_scaling = there->work_s / w.work_s;
      w.global = w.parallel * *w.computation_scaling;
    }
  }
  return all;
}

}  // namespace ovlp::analysis
