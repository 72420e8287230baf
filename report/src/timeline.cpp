// SPDX-License-Identifier: BSD-3-Clause
#include "timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include <nlohmann/json.hpp>

namespace ovlp::report {
namespace {

auto in_rows(recorded_run::residence const& of) { return std::tie(of.node, of.collection, of.thread); }

}  // namespace

timeline::timeline(recorded_run const& of) : run_(of), steps_(of.steps.size()) {
  auto const residence_of = [&](std::uint32_t step) -> recorded_run::residence const& {
    return run_.residences[run_.steps[step].at.residence];
  };
  std::iota(steps_.begin(), steps_.end(), 0U);
  std::ranges::stable_sort(steps_, {}, [&](std::uint32_t step) { return in_rows(residence_of(step)); });
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    if (!rows_.empty() && rows_.back() == residence_of(steps_[i])) continue;
    rows_.push_back(residence_of(steps_[i]));
    first_of_row_.push_back(i);
  }
}

nlohmann::ordered_json timeline::pack(columns& into, double origin_s,
                                      std::vector<std::uint32_t> const& first_operation) const {
  std::vector<bool> is_first(steps_.size(), false);
  for (std::uint32_t const first : first_of_row_) is_first[first] = true;
  auto const step = [this](std::size_t i) -> recorded_run::step const& { return run_.steps[steps_[i]]; };

  // A tick is a nanosecond, or ten, or ... so that no length and no distance of two starts outgrows 32 bits.
  double longest_s = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    recorded_run::step const& s = step(i);
    double const before_s = is_first[i] ? origin_s : step(i - 1).start_s;
    longest_s = std::max({longest_s, s.start_s - before_s, s.end_s - s.start_s, s.computed_s, s.work_s});
  }
  double tick_s = 1e-9;
  while (longest_s / tick_s > std::numeric_limits<std::uint32_t>::max() - 1) tick_s *= 10;

  std::vector<std::uint32_t> starts, lengths, computed, work, operations, iterations;
  for (auto* column : {&starts, &lengths, &computed, &work, &operations, &iterations}) column->reserve(steps_.size());
  std::int32_t last_iteration = 0;
  double before = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    recorded_run::step const& s = step(i);
    recorded_run::purpose const& what = run_.purposes[s.at.purpose];
    if (is_first[i]) before = 0;
    auto const ticks = [&](double seconds) { return std::round(seconds / tick_s); };
    double const start = ticks(s.start_s - origin_s);
    starts.push_back(static_cast<std::uint32_t>(start - before));
    lengths.push_back(static_cast<std::uint32_t>(std::max(0.0, ticks(s.end_s - origin_s) - start)));
    computed.push_back(static_cast<std::uint32_t>(ticks(s.computed_s)));
    work.push_back(static_cast<std::uint32_t>(ticks(s.work_s)));
    operations.push_back(first_operation[what.graph] + what.operation);
    iterations.push_back(static_cast<std::uint32_t>(what.iteration));
    last_iteration = std::max(last_iteration, what.iteration);
    before = start;
  }
  bool const few = std::ranges::all_of(operations, [](std::uint32_t o) { return o <= 0xffff; });
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < rows_.size(); ++r)
    rows.push_back({rows_[r].node, rows_[r].collection, rows_[r].thread, first_of_row_[r]});
  return {{"tick_s", tick_s},
          {"count", steps_.size()},
          {"rows", rows},
          {"start", into.add(starts)},
          {"length", into.add(lengths)},
          {"computed", into.add(computed)},
          {"work", into.add(work)},
          {"operation",
           few ? into.add(std::vector<std::uint16_t>(operations.begin(), operations.end())) : into.add(operations)},
          {"last_iteration", last_iteration},
          {"iteration", into.add(iterations)}};
}

std::optional<std::size_t> timeline::find(recorded_run::residence const& wanted) const {
  auto const found = std::ranges::lower_bound(rows_, in_rows(wanted), {}, in_rows);
  if (found == rows_.end() || *found != wanted) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.begin());
}

}  // namespace ovlp::report
