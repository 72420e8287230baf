// SPDX-License-Identifier: BSD-3-Clause
#include "advise.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp::lab::study {
namespace {

/// Numbers of nodes that are looked at first: all up to 12, then in steps of about a sixth.
std::vector<std::size_t> numbers_of_nodes(std::size_t most) {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n < most; n = std::max(n + 1, n * 7 / 6)) all.push_back(n);
  all.push_back(most);
  return all;
}

/// Plans that change little of one: a border earlier or later, a node more or less, a change less, a change more.
std::vector<allocation> neighbours(allocation const& held, std::size_t most_nodes) {
  std::vector<allocation> all;
  std::size_t const iterations = held.size();
  std::vector<std::size_t> begins;  // of stretches with one number of nodes
  for (std::size_t k = 0; k < iterations; ++k) {
    if (k == 0 || held[k] != held[k - 1]) begins.push_back(k);
  }
  auto const with = [&](std::size_t from, std::size_t to, std::size_t nodes) {
    if (nodes < 1 || nodes > most_nodes || from >= to) return;
    allocation changed = held;
    std::fill(changed.begin() + static_cast<std::ptrdiff_t>(from), changed.begin() + static_cast<std::ptrdiff_t>(to),
              nodes);
    all.push_back(std::move(changed));
  };
  for (std::size_t s = 0; s < begins.size(); ++s) {
    std::size_t const from = begins[s], to = s + 1 < begins.size() ? begins[s + 1] : iterations, nodes = held[from];
    std::size_t const few = std::max<std::size_t>(1, nodes / 16), middle = from + (to - from) / 2;
    for (std::size_t by : std::set{std::size_t{1}, few, 2 * few}) {
      with(from, to, nodes + by);
      if (nodes > by) with(from, to, nodes - by);
    }
    if (s > 0) {
      std::size_t const before = held[from - 1];
      with(from - 1, from, nodes);
      with(from, from + 1, before);
      with(from, to, before);
      with(begins[s - 1], from, nodes);
    }
    for (std::size_t by : std::set{std::size_t{1}, few}) {
      for (auto const& [first, last] :
           {std::pair(from, from + 1), std::pair(from, middle), std::pair(middle, to), std::pair(to - 1, to)}) {
        if (last - first == to - from) continue;
        with(first, last, nodes + by);
        if (nodes > by) with(first, last, nodes - by);
      }
    }
  }
  return all;
}

/// Of all plans that were simulated those that no other beats in both time and node-seconds, by time.
std::vector<judged_allocation> front_of(plan_judge const& judge) {
  std::vector<judged_allocation> all = judge.all();
  std::stable_sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
    analysis::run_costs const &x = a.second->costs, &y = b.second->costs;
    return std::pair(x.time_s, x.node_s) < std::pair(y.time_s, y.node_s);
  });
  std::vector<judged_allocation> front;
  for (judged_allocation const& next : all) {
    if (front.empty() || next.second->costs.node_s < front.back().second->costs.node_s) front.push_back(next);
  }
  return front;
}

class search {
 public:
  search(plan_judge& judge, analysis::goal const& wanted) : judge_(judge), goal_(wanted) {}

  /// Runs that hold a number of nodes from start to end.
  void look_ahead() {
    std::vector<std::size_t> const nodes = numbers_of_nodes(judge_.nodes());
    std::vector<allocation> all;
    for (std::size_t n : nodes) all.emplace_back(judge_.iterations(), n);
    judge_.simulate({all.front()});
    if (judge_.find(all.front())->costs.node_s >= judge_.as_it_is().costs.node_s &&
        judge_.find(all.front())->costs.time_s == judge_.as_it_is().costs.time_s) {
      throw config_error(
          "PROGRAM: expected one that follows plans (here.end_of_iteration): it runs as before with "
          "1 node of " +
          std::to_string(judge_.nodes()));
    }
    judge_.simulate(all);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (judged const* const run = judge_.find(all[i])) expected_.add(nodes[i], run->iterations);
    }
  }

  /// Plans by dynamic programming, for weights from least time to least node-seconds.
  void plan_ahead() {
    make_plans(0);
    judge_.simulate(made_);
    // What changes cost beyond the forecast, by the plans that have some.
    double excess_s = 0, changes = 0;
    for (allocation const& held : made_) {
      judged const* const run = judge_.find(held);
      if (run == nullptr) continue;
      changes += static_cast<double>(judge_.plan_of(held).changes.size());
      excess_s += run->costs.time_s - forecast_s(held);
    }
    if (changes == 0 || excess_s <= 0) return;
    change_s_ = excess_s / changes;
    make_plans(change_s_);
    judge_.simulate(made_);
  }

  /// Looks at what is next to the plans that no other beats in both time and node-seconds, beginning with those that
  /// are nearest to the goal's bound. Source: Paquete, Chiarandini, Stuetzle 2004 (Pareto local search).
  void improve() {
    std::set<allocation> done;
    allocation best = this->best();
    for (int fruitless = 0; fruitless < patience && judge_.may_go_on(); ++fruitless) {
      std::optional<allocation> const next = most_promising(done);
      if (!next) return;
      done.insert(*next);
      judge_.simulate(neighbours(*next, judge_.nodes()));
      allocation now = this->best();
      if (now != best) fruitless = -1;
      best = std::move(now);
    }
  }

  allocation best() const {
    auto const rank_of = [&](judged const& run) { return goal_.of(run.costs, judge_.as_it_is().costs); };
    std::vector<judged_allocation> const all = judge_.all();
    return *std::min_element(all.begin(), all.end(), [&](auto const& a, auto const& b) {
              return rank_of(*a.second) < rank_of(*b.second);
            })->first;
  }
  analysis::forecast const& expected() const { return expected_; }
  double change_s() const { return change_s_; }

 private:
  static constexpr int patience = 12;  ///< plans whose neighbours are no better

  std::optional<allocation> most_promising(std::set<allocation> const& done) const {
    using candidate = std::pair<analysis::goal::rank, allocation const*>;
    std::optional<candidate> best;
    for (auto const& [held, run] : goal_.distance({}, judge_.as_it_is().costs) ? front_of(judge_) : judge_.all()) {
      if (done.contains(*held)) continue;
      analysis::goal::rank rank = goal_.of(run->costs, judge_.as_it_is().costs);
      if (auto const distance = goal_.distance(run->costs, judge_.as_it_is().costs)) rank = {*distance, 0, 0};
      if (!best || rank < best->first) best = {rank, held};
    }
    return best ? std::optional(*best->second) : std::nullopt;
  }

  void make_plans(double change_s) {
    double const time_s = judge_.as_it_is().costs.time_s, node_s = judge_.as_it_is().costs.node_s;
    std::vector<analysis::weights> all;
    constexpr int steps = 16;
    for (int i = 0; i <= steps; ++i) {
      double const w = static_cast<double>(i) / steps;
      all.push_back({(1 - w) / time_s, w / node_s});
    }
    if (auto const of_goal = goal_.weights()) all.push_back(*of_goal);
    made_.clear();
    std::set<double> const bounds{0, goal_.least_efficiency()};
    for (double least_efficiency : bounds) {
      for (analysis::weights const& w : all)
        made_.push_back(analysis::best_allocation(expected_, w, change_s, least_efficiency));
    }
  }

  double forecast_s(allocation const& held) const {
    double sum_s = 0;
    for (std::size_t k = 1; k <= held.size(); ++k) {
      auto const& nodes = expected_.nodes();
      auto const i = std::find(nodes.begin(), nodes.end(), held[k - 1]) - nodes.begin();
      sum_s += expected_.of(static_cast<std::size_t>(i), k).time_s;
    }
    return sum_s;
  }

  plan_judge& judge_;
  analysis::goal const& goal_;
  analysis::forecast expected_;
  std::vector<allocation> made_;
  double change_s_ = 0;
};

}  // namespace

advice advise(advise_options const& options) {
  plan_judge judge(options.words, options.jobs);
  search search(judge, options.goal);
  search.look_ahead();
  search.plan_ahead();
  search.improve();

  allocation const best = search.best();
  advice found;
  found.program = judge.program();
  found.not_backed = judge.not_backed();
  found.prediction_spread = judge.prediction_spread();
  found.nodes = judge.nodes();
  found.as_it_is = judge.as_it_is();
  found.advised = {judge.plan_of(best), *judge.find(best)};
  found.reaches_goal = options.goal.of(found.advised.run.costs, found.as_it_is.costs).excess == 0;
  for (auto const& [held, run] : front_of(judge)) found.front.push_back({judge.plan_of(*held), *run});
  found.expected = search.expected();
  found.change_s = search.change_s();
  found.simulations = judge.simulations();
  return found;
}

}  // namespace ovlp::lab::study
