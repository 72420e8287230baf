// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/dynamic_efficiency.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ovlp::analysis {

dynamic_efficiency::dynamic_efficiency(std::vector<double> reference_cores)
    : reference_cores_(std::move(reference_cores)) {}

dynamic_efficiency::~dynamic_efficiency() = default;

void dynamic_efficiency::node(node_record const& record) {
  if (record.change != node_change::joined) changes_.push_back(record);  // it has been held since its launch
}

void dynamic_efficiency::step(step_record const& record) {
  of_call& call = calls_[record.at.call];
  std::vector<iteration>& all = call.iterations;
  // What was executed before an iteration closed is part of its interval, or of an earlier one.
  for (auto i = all.rbegin(); i != all.rend() && i->closed_s > record.start_s; ++i) {
    if (record.end_s <= i->closed_s) {
      i->work_by_closed_s += record.work_s;
    } else {
      i->work_by_closed_s += record.work_s * (i->closed_s - record.start_s) / (record.end_s - record.start_s);
    }
  }
  call.work_s += record.work_s;
  call.over_time.add(record.start_s, record.end_s, record.work_s);
  if (record.at.iteration == 0) return;

  auto const number = static_cast<std::size_t>(record.at.iteration);
  while (all.size() < number) {
    iteration next;
    next.closed_s = all.empty() ? record.start_s : all.back().closed_s;
    next.work_by_closed_s = all.empty() ? call.work_s - record.work_s : all.back().work_by_closed_s;
    all.push_back(next);
  }
  for (std::size_t i = number - 1; i < all.size(); ++i) {
    if (all[i].closed_s >= record.end_s) continue;
    all[i].closed_s = record.end_s;  // steps come in the order of their ends: all that has ended is in work_s
    all[i].work_by_closed_s = call.work_s;
  }
  iteration& mine = all[number - 1];
  mine.start_s = mine.seen ? std::min(mine.start_s, record.start_s) : record.start_s;
  mine.end_s = mine.seen ? std::max(mine.end_s, record.end_s) : record.end_s;
  mine.work_s += record.work_s;
  mine.seen = true;
}

void dynamic_efficiency::add(std::uint64_t call, std::map<std::int32_t, iteration_work> const& iterations,
                             work_over_time over_time) {
  constexpr double ever_s = std::numeric_limits<double>::infinity();
  of_call& all = calls_[call];
  all.work_s = over_time.between(-ever_s, ever_s);
  double closed_s = -ever_s;
  for (auto const& [index, of] : iterations) {
    if (index < 1) continue;
    closed_s = std::max(closed_s, of.end_s);
    all.iterations.resize(static_cast<std::size_t>(index));
    all.iterations.back() = {true, of.start_s, of.end_s, of.work_s, closed_s, over_time.between(-ever_s, closed_s)};
  }
  all.over_time = std::move(over_time);
}

double dynamic_efficiency::capacity(double from_s, double to_s) const {
  double integral = 0;
  double cores = 0;
  double at_s = from_s;
  for (node_record const& change : changes_) {
    if (change.at_s >= to_s) break;
    if (change.at_s > at_s) {
      integral += cores * (change.at_s - at_s);
      at_s = change.at_s;
    }
    cores += change.change == node_change::launched ? reference_cores_[change.node] : -reference_cores_[change.node];
  }
  return integral + cores * std::max(0.0, to_s - at_s);
}

double dynamic_efficiency::nodes_held(double from_s, double to_s) const {
  double held = 0, at_from = 0, node_s = 0;
  double at_s = from_s;
  for (node_record const& change : changes_) {
    if (change.at_s > from_s && change.at_s >= to_s) break;
    if (change.at_s > at_s) {
      node_s += held * (change.at_s - at_s);
      at_s = change.at_s;
    }
    held += change.change == node_change::launched ? 1 : -1;
    if (at_s == from_s) at_from = held;
  }
  return at_s == from_s ? at_from : (node_s + held * (to_s - at_s)) / (to_s - from_s);
}

dynamic_efficiency::report dynamic_efficiency::take(std::uint64_t call, double start_s, double end_s, double window_s) {
  report made;
  std::optional<of_call> const taken = calls_.take(call);
  if (!taken) return made;
  of_call const& steps = *taken;
  auto const ratio = [](double work_s, double capacity) {
    return capacity > 0 ? std::optional(work_s / capacity) : std::nullopt;
  };
  made.efficiency = ratio(steps.work_s, capacity(start_s, end_s)).value_or(0);

  double interval_start_s = start_s;
  double work_before_s = 0;
  for (std::size_t i = 0; i < steps.iterations.size(); ++i) {
    iteration const& now = steps.iterations[i];
    bool const last = i + 1 == steps.iterations.size();
    double const closed_s = last ? end_s : now.closed_s;
    double const work_by_closed_s = last ? steps.work_s : now.work_by_closed_s;
    if (now.seen) {
      iteration_efficiency of{};
      of.index = static_cast<std::int32_t>(i + 1);
      of.start_s = now.start_s;
      of.end_s = now.end_s;
      of.interval_start_s = interval_start_s;
      of.interval_end_s = closed_s;
      of.work_s = now.work_s;
      of.interval_work_s = work_by_closed_s - work_before_s;
      of.nodes = nodes_held(of.start_s, of.end_s);
      of.efficiency = ratio(of.work_s, capacity(of.start_s, of.end_s));
      of.interval_efficiency = ratio(of.interval_work_s, capacity(interval_start_s, closed_s));
      made.iterations.push_back(of);
      interval_start_s = closed_s;
      work_before_s = work_by_closed_s;
    }
  }

  double const duration_s = end_s - start_s;
  if (window_s == 0) window_s = duration_s / 25;
  if (duration_s > 0) {
    window_s = std::max(window_s, duration_s / 1000);
    auto const halves = static_cast<std::size_t>(std::max(2.0, std::round(2 * duration_s / window_s)));
    double const half_s = duration_s / static_cast<double>(halves);
    for (std::size_t i = 0; i + 2 <= halves; ++i) {
      double const from_s = start_s + static_cast<double>(i) * half_s, to_s = from_s + 2 * half_s;
      made.windows.push_back({from_s, to_s, nodes_held(from_s, to_s),
                              ratio(steps.over_time.between(from_s, to_s), capacity(from_s, to_s)).value_or(0)});
    }
  }
  return made;
}

}  // namespace ovlp::analysis
