// SPDX-License-Identifier: BSD-3-Clause
#include "step_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

namespace ovlp::report {

void step_table::add(step_record const& r, std::uint32_t operation, std::uint32_t collection) {
  auto const [found, is_new] =
      numbers_.try_emplace({r.at.node, collection, r.at.thread}, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back(found->first);
  steps_.push_back({r.start_s, r.end_s, r.computed_s, r.work_s, r.at.call, found->second, operation, r.at.iteration});
}

void step_table::sort_by_end() {
  std::stable_sort(steps_.begin(), steps_.end(), [](step const& a, step const& b) { return a.end_s < b.end_s; });
}

nlohmann::ordered_json step_table::pack(columns& into, double origin_s) {
  std::vector<std::uint32_t> place(rows_.size());
  rows_.clear();
  for (auto& [of, number] : numbers_) {
    place[number] = static_cast<std::uint32_t>(rows_.size());
    number = place[number];
    rows_.push_back(of);
  }
  for (step& s : steps_) s.row = place[s.row];
  std::sort(steps_.begin(), steps_.end(), [](step const& a, step const& b) {
    return std::tie(a.row, a.start_s, a.end_s) < std::tie(b.row, b.start_s, b.end_s);
  });

  // A tick is a nanosecond, or ten, or ... so that no length and no distance of two starts outgrows 32 bits.
  double longest_s = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    step const& s = steps_[i];
    bool const first = i == 0 || steps_[i - 1].row != s.row;
    double const before_s = first ? origin_s : steps_[i - 1].start_s;
    longest_s = std::max({longest_s, s.start_s - before_s, s.end_s - s.start_s, s.computed_s, s.work_s});
  }
  double tick_s = 1e-9;
  while (longest_s / tick_s > std::numeric_limits<std::uint32_t>::max() - 1) tick_s *= 10;

  std::vector<std::uint32_t> first_of_row, starts, lengths, computed, work, operations, iterations;
  for (auto* column : {&starts, &lengths, &computed, &work, &operations, &iterations}) column->reserve(steps_.size());
  std::int32_t last_iteration = 0;
  double before = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    step const& s = steps_[i];
    if (i == 0 || steps_[i - 1].row != s.row) {
      first_of_row.push_back(static_cast<std::uint32_t>(i));
      before = 0;
    }
    auto const ticks = [&](double seconds) { return std::round(seconds / tick_s); };
    double const start = ticks(s.start_s - origin_s);
    starts.push_back(static_cast<std::uint32_t>(start - before));
    lengths.push_back(static_cast<std::uint32_t>(std::max(0.0, ticks(s.end_s - origin_s) - start)));
    computed.push_back(static_cast<std::uint32_t>(ticks(s.computed_s)));
    work.push_back(static_cast<std::uint32_t>(ticks(s.work_s)));
    operations.push_back(s.operation);
    iterations.push_back(static_cast<std::uint32_t>(s.iteration));
    last_iteration = std::max(last_iteration, s.iteration);
    before = start;
  }
  bool const few = std::all_of(operations.begin(), operations.end(), [](std::uint32_t o) { return o <= 0xffff; });
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < rows_.size(); ++r)
    rows.push_back({rows_[r].node, rows_[r].collection, rows_[r].thread, first_of_row[r]});
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

std::optional<std::size_t> step_table::find(row const& wanted) const {
  auto const found = numbers_.find(wanted);
  return found == numbers_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

}  // namespace ovlp::report
