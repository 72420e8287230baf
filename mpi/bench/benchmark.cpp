// SPDX-License-Identifier: BSD-3-Clause
#include "benchmark.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp::overlap_bench {
namespace {

void print(std::string const& line) {
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

/// A barrier has no size by which its time could be chosen.
std::size_t bytes_of(operation kind, settings const& what, trial_runner const& run) {
  if (kind == operation::barrier) return 0;
  if (!(what.least_s > 0)) return what.bytes;
  // The fastest run: one that is disturbed only takes longer.
  return bytes_that_take(what.least_s, settings::most_bytes, [&](std::size_t bytes) {
    return std::ranges::min(run({kind, bytes, 0, 1}, what.search.runs), {}, &run_times::total_s).total_s;
  });
}

overlap measured(trial kind, settings const& what, trial_runner const& run) {
  return measure_overlap(
      [&](double work_s, std::size_t runs) {
        kind.work_s = work_s;
        return run(kind, runs);
      },
      what.search);
}

}  // namespace

void run_benchmark(settings const& what, std::string const& backend, std::size_t ranks, trial_runner const& run) {
  std::string header = csv_header();  // with the first row: workers of a real run do not come so far
  for (operation const kind : operations_named(what.operations)) {
    std::string const name(name_of(kind));
    try {
      std::size_t const bytes = bytes_of(kind, what, run);
      for (std::size_t const slices : {std::size_t{1}, what.slices}) {
        std::string const row =
            csv_row({name, backend, ranks, bytes, slices, measured({kind, bytes, 0, slices}, what, run)});
        print(std::exchange(header, {}) + row);
      }
    } catch (config_error const& wrong) {
      throw config_error(name + ": " + wrong.what());
    }
  }
}

}  // namespace ovlp::overlap_bench
