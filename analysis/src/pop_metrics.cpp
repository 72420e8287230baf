// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/pop_metrics.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/base/error.hpp>

namespace ovlp::analysis {
namespace {

constexpr double least_held = 0.01;
constexpr double most_misplaced = 0.01;
constexpr double above_1 = 1 + 1e-9;  // rounded, if no more

/// Iterations that overlap have windows that hold other work in another run.
bool is_separate(pop_window const& w) { return w.misplaced_s <= most_misplaced * w.work_s + 1e-12; }

}  // namespace

struct pop_metrics::implementation {
  implementation(recorded_run const& of, bool shares_cores)
      : run(of), shared_cores(shares_cores || !of.simulated()), own_calls(of) {
    for (recorded_run::step const& s : run.steps) {
      recorded_run::purpose const& what = run.purposes[s.at.purpose];
      if (what.iteration < 1) continue;
      iterations_s[{what.call, what.iteration}] += s.work_s;
      double& end_s = ends_s[what.call].try_emplace(what.iteration, s.end_s).first->second;
      end_s = std::max(end_s, s.end_s);
    }
    for (node_record const& r : run.nodes) changes[r.node].push_back(r);
    for (run_call const& c : own_calls.all())
      if (c.end_s) calls[c.call] = {c.start_s, *c.end_s};
  }

  struct window {
    std::uint64_t call;
    std::int32_t iteration;
    double start_s, end_s;
  };

  /// The steps of all calls, as much of them as windows of time hold, which follow one another.
  std::vector<pop_window> sum(std::vector<window> const& windows) const {
    std::vector<std::vector<double>> work_s(windows.size(), std::vector<double>(run.names.capacities.size(), 0));
    std::vector<double> misplaced_s;
    for (window const& w : windows) misplaced_s.push_back(w.iteration > 0 ? iterations_s.at({w.call, w.iteration}) : 0);
    for (recorded_run::step const& w : run.steps) {
      if (w.work_s <= 0) continue;
      recorded_run::purpose const& what = run.purposes[w.at.purpose];
      double const length_s = w.end_s - w.start_s;
      auto in = std::ranges::lower_bound(windows, w.start_s, {}, &window::end_s);
      for (; in != windows.end() && in->start_s <= w.end_s; ++in) {
        auto const i = static_cast<std::size_t>(in - windows.begin());
        double const inside_s = std::max(0.0, std::min(w.end_s, in->end_s) - std::max(w.start_s, in->start_s));
        double const done_s = length_s > 0 ? w.work_s * inside_s / length_s : w.work_s;
        work_s[i].at(run.residences[w.at.residence].node) += done_s;
        bool const is_own =
            in->iteration == 0 || (what.call == in->call && (what.iteration == 0 || what.iteration == in->iteration));
        if (what.iteration > 0 && what.call == in->call && what.iteration == in->iteration) misplaced_s[i] -= done_s;
        if (!is_own) misplaced_s[i] += done_s;
        if (length_s <= 0) break;
      }
    }
    std::vector<pop_window> all;
    for (std::size_t i = 0; i < windows.size(); ++i) all.push_back(efficiencies(windows[i], work_s[i], misplaced_s[i]));
    return all;
  }

  pop_window efficiencies(window const& of, std::vector<double> const& work_s, double misplaced_s) const {
    pop_window made{of.call, of.iteration, of.start_s, of.end_s, 0, 0, 0, 0, 0, misplaced_s, {}, {}, {}, {}, {}};
    for (std::uint32_t n = 0; n < run.names.capacities.size(); ++n) {
      double const seconds_s = held_s(n, of.start_s, of.end_s), held = seconds_s * run.names.capacities[n];
      made.work_s += work_s[n];
      made.node_seconds_s += held;
      if (held > 0 && seconds_s >= least_held * (of.end_s - of.start_s))
        made.communication = std::max(made.communication, work_s[n] / held);
    }
    if (made.node_seconds_s > 0) made.parallel = made.work_s / made.node_seconds_s;
    made.communication = std::max(made.communication, made.parallel);
    if (made.communication > 0) made.load_balance = made.parallel / made.communication;
    return made;
  }

  /// What the definitions allow, said where it happens.
  void remark(pop_window& w) const {
    if (w.work_s <= 0) w.remarks.emplace_back("no kernel took time in it, and only kernels are work");
    if (w.communication > above_1) {
      w.remarks.emplace_back(
          shared_cores ? "nodes of one machine share its cores: one may use what others leave"
          : w.iteration > 0
              ? "the work of steps that lie across the interval's ends counts as "
                "done evenly"
              : "a node may be faster than its capacity for a time, or use a period's share of a quota at once");
    }
    if (w.serialization.value_or(0) > above_1)
      w.remarks.emplace_back(
          "on the ideal network the busiest node does other work, or is held for another part of the time");
    if (w.transfer.value_or(0) > above_1)
      w.remarks.emplace_back("the run on the ideal network takes longer: its steps come in another order");
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

  /// Work and node-seconds of a window of both runs, of the same calls: of all, or of those that both have.
  struct shared {
    double work_s, node_seconds_s, work_there_s, node_seconds_there_s;
    bool separate;  ///< they hold this work and no other
  };
  std::optional<shared> shared_with(implementation const& there, pop_window const& here,
                                    std::vector<pop_window> const& windows_there) const {
    auto const found = [&](std::uint64_t call) -> std::optional<shared> {
      auto const same = std::ranges::find_if(
          windows_there, [&](pop_window const& w) { return w.call == call && w.iteration == here.iteration; });
      if (same == windows_there.end()) return std::nullopt;
      return shared{here.work_s, here.node_seconds_s, same->work_s, same->node_seconds_s,
                    is_separate(here) && is_separate(*same)};
    };
    if (here.iteration != 0) {
      run_call const* const call = own_calls.find(here.call);
      run_call const* const other = call == nullptr ? nullptr : there.own_calls.find(call->name);
      return other == nullptr ? std::nullopt : found(other->call);
    }
    matched_calls const matched = match_calls({own_calls.all(), there.own_calls.all()});
    if (!matched.differ()) return found(0);
    if (matched.compared.empty()) return std::nullopt;
    shared all{0, 0, 0, 0, true};
    for (call_name const& name : matched.compared) {
      auto const of = [&](implementation const& in) {
        run_call const& call = *in.own_calls.find(name);
        return in.sum({{call.call, 0, call.start_s, *call.end_s}}).front();
      };
      pop_window const mine = of(*this), theirs = of(there);
      all.work_s += mine.work_s;
      all.node_seconds_s += mine.node_seconds_s;
      all.work_there_s += theirs.work_s;
      all.node_seconds_there_s += theirs.node_seconds_s;
    }
    return all;
  }

  recorded_run const& run;
  bool const shared_cores;
  call_list const own_calls;
  std::map<std::uint64_t, std::map<std::int32_t, double>> ends_s{};         ///< of iterations, by call
  std::map<std::pair<std::uint64_t, std::int32_t>, double> iterations_s{};  ///< work of each
  std::map<std::uint32_t, std::vector<node_record>> changes{};
  std::map<std::uint64_t, std::pair<double, double>> calls{};  ///< those that have ended
};

pop_metrics::pop_metrics(recorded_run const& run, bool shared_cores)
    : implementation_(std::make_unique<implementation>(run, shared_cores)) {}
pop_metrics::~pop_metrics() = default;

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

  auto const shared = [&](pop_metrics const* with, std::vector<pop_window> const& windows, pop_window const& w) {
    return with == nullptr ? std::nullopt : run.shared_with(*with->implementation_, w, windows);
  };
  std::vector<pop_window> const on_ideal = ideal != nullptr ? ideal->find() : std::vector<pop_window>{};
  std::vector<pop_window> const referred = reference != nullptr ? reference->find() : std::vector<pop_window>{};
  for (pop_window& w : all) {
    if (auto const both = shared(ideal, on_ideal, w);
        both && both->node_seconds_s > 0 && both->node_seconds_there_s > 0) {
      if (both->separate) {
        w.transfer = both->node_seconds_there_s / both->node_seconds_s;
        w.serialization = w.communication / *w.transfer;
      } else {
        w.remarks.emplace_back("iterations overlap: its interval holds other work on the ideal network");
      }
    }
    if (auto const both = shared(reference, referred, w); both && both->work_s > 0) {
      w.computation_scaling = both->work_there_s / both->work_s;
      w.global = w.parallel * *w.computation_scaling;
    }
    run.remark(w);
  }
  return all;
}

}  // namespace ovlp::analysis
