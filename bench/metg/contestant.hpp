// SPDX-License-Identifier: BSD-3-Clause
/// How METG(50 %) is found, the same for all contestants.
///
/// The granularity of a run is its wall time x cores / tasks, the kernel's share of it the efficiency. With kernels
/// that become smaller the granularity falls towards the runtime's cost of a task; METG(50 %) is the granularity at
/// which the efficiency has fallen to one half. The kernel is then as long as the cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../contestant.hpp"
#include "grid.hpp"

namespace bench::metg {

/// What the command line asks for.
struct request {
  std::string pattern = "stencil";
  std::size_t width = 8, steps = 1000, iterations = 0, cores = 1, runs = 5;

  /// Describes the options to add(name, variable, text): each library of options has its own way.
  template <class Add>
  void describe(const Add& add) {
    add("--pattern", pattern, "stencil, all-to-all or fft");
    add("--width", width, "columns of the grid, at most 64; for fft a power of two");
    add("--steps", steps, "steps of the grid");
    add("--kernel", iterations, "iterations in each task; 0: search the METG");
    add("--cores", cores, "that tasks may use");
    add("--runs", runs, "of the grid for each size of kernel; the best counts");
  }

  /// Errors: std::runtime_error for what is no grid.
  metg::grid grid() const {
    static const std::map<std::string, metg::pattern> patterns{
        {"stencil", pattern::stencil}, {"all-to-all", pattern::all_to_all}, {"fft", pattern::fft}};
    const auto known = patterns.find(pattern);
    if (known == patterns.end()) throw std::runtime_error("--pattern: expected stencil, all-to-all or fft");
    if (width == 0 || width > most_columns) throw std::runtime_error("--width: expected 1 to 64");
    if (pattern == "fft" && !std::has_single_bit(width)) throw std::runtime_error("--width: expected a power of two");
    if (steps == 0 || cores == 0 || runs == 0) throw std::runtime_error("--steps, --cores, --runs: expected 1 or more");
    return {known->second, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(steps), iterations};
  }
};

/// Seconds of one kernel alone: the best of some batches, for others may use the machine.
inline double kernel_seconds(std::uint64_t iterations) {
  const std::uint64_t batch = 1 + 100'000 / (iterations + 10);
  double best_s = INFINITY;
  for (int i = 0; i < 30; ++i) {
    const auto start = clock::now();
    for (std::uint64_t k = 0; k < batch; ++k) kernel(iterations);
    best_s = std::min(best_s, seconds_since(start) / static_cast<double>(batch));
  }
  return best_s;
}

/// One size of kernel.
struct sample {
  std::uint64_t iterations;
  double kernel_s, granularity_s, efficiency;

  json to_json() const {
    return {{"iterations", iterations},
            {"kernel_s", kernel_s},
            {"granularity_s", granularity_s},
            {"efficiency", efficiency}};
  }
};

/// Measures run(grid), which returns the sum of the last step's values.
/// Errors: std::runtime_error when that is not the reference's.
template <class Run>
class measurement {
 public:
  measurement(const request& asked, Run& run) : asked_(asked), grid_(asked.grid()), sum_(grid_.reference()), run_(run) {
    grid_.iterations = 0;
    seconds_of_a_run();  // warm-up: pages, connections, pools
  }

  sample at(std::uint64_t iterations) {
    grid_.iterations = iterations;
    double best_s = INFINITY;  // others may use the machine
    for (std::size_t i = 0; i < asked_.runs; ++i) best_s = std::min(best_s, seconds_of_a_run());
    const double tasks = static_cast<double>(grid_.steps) * grid_.width;
    const double kernel_s = kernel_seconds(iterations);
    const double granularity_s = best_s * static_cast<double>(asked_.cores) / tasks;
    return {iterations, kernel_s, granularity_s, kernel_s / granularity_s};
  }

  /// Samples around METG(50 %), in the order of their sizes. The last one below it and the first above differ by a
  /// sixth at most. Errors: std::runtime_error when not even kernels of 0.2 ms are efficient.
  std::vector<sample> around_half() {
    std::map<std::uint64_t, sample> all;
    const auto efficient = [&](std::uint64_t iterations) {
      const sample& s = all.emplace(iterations, at(iterations)).first->second;
      if (s.efficiency < 0.5 && s.kernel_s > 0.2e-3)
        throw std::runtime_error("metg: no kernel is efficient; are the cores used by others?");
      return s.efficiency >= 0.5;
    };
    std::uint64_t below = 4, above = 16;
    while (!efficient(above)) below = above, above *= 4;
    while (below > 0 && !all.contains(below) && efficient(below)) above = below, below /= 4;
    while (above - below > std::max<std::uint64_t>(1, below / 6)) {
      const auto middle = std::max(below + 1, static_cast<std::uint64_t>(std::sqrt(below * above)));
      (efficient(middle) ? above : below) = middle;
    }
    std::vector<sample> sorted;
    for (const auto& [iterations, s] : all) sorted.push_back(s);
    return sorted;
  }

  /// That have run so far.
  std::uint64_t tasks() const { return tasks_; }

 private:
  double seconds_of_a_run() {
    const auto start = clock::now();
    const std::uint64_t sum = run_(grid_);
    const double seconds = seconds_since(start);
    tasks_ += std::uint64_t{grid_.steps} * grid_.width;
    if (sum != sum_) throw std::runtime_error("metg: the result differs from the reference");
    return seconds;
  }

  request asked_;
  metg::grid grid_;
  std::uint64_t sum_;
  std::uint64_t tasks_ = 0;
  Run& run_;
};

/// The granularity at which the efficiency is one half, between the neighbouring samples of which only the larger one's
/// is at least that.
inline double metg_seconds(const std::vector<sample>& sorted) {
  const auto above = std::find_if(sorted.rbegin(), sorted.rend(), [](const sample& s) { return s.efficiency < 0.5; });
  if (above == sorted.rend()) return sorted.front().granularity_s;
  if (above == sorted.rbegin()) return sorted.back().granularity_s;
  const sample &low = *above, &high = *std::prev(above);
  const double part = (0.5 - low.efficiency) / (high.efficiency - low.efficiency);
  return low.granularity_s * std::pow(high.granularity_s / low.granularity_s, part);
}

/// Measures and reports what was asked for.
template <class Run>
void compete(const char* contestant, const request& asked, Run run) {
  measurement<Run> measured(asked, run);
  json result{{"contestant", contestant},
              {"pattern", asked.pattern},
              {"width", asked.width},
              {"steps", asked.steps},
              {"cores", asked.cores}};
  if (asked.iterations > 0) {
    result.update(measured.at(asked.iterations).to_json());
  } else {
    const std::vector<sample> samples = measured.around_half();
    result["metg_us"] = 1e6 * metg_seconds(samples);
    for (const sample& s : samples) result["samples"].push_back(s.to_json());
  }
  result["tasks"] = measured.tasks();
  report(result);
}

}  // namespace bench::metg
