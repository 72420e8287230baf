// SPDX-License-Identifier: BSD-3-Clause
/// What every pattern shares: it is called once, its result is checked, and it says what that took.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

#include "../simulation.hpp"

namespace bench {

/// A value of a node that others cannot guess.
inline std::uint64_t value_of(std::size_t node) { return (node + 1) * 0x9E3779B97F4A7C15; }

/// Calls the graph and prints one line of result, with what is in `report` first. Figures of the host are those of
/// node 0's process: CPU seconds of all of it, and the memory that the call added to it.
/// Returns: the status of the program, 1 if the result is not what was expected; then it prints no result.
template <class In, class Out>
int measure(ovlp::engine_base& run, ovlp::graph<In, Out> const& pattern, std::type_identity_t<In> input,
            std::type_identity_t<Out> const& expected, json report) {
  run.add(pattern);
  run.record();
  auto const memory_before_bytes = peak_memory_bytes();
  auto const start = clock::now();
  Out const result = run(pattern, std::move(input));
  double const wall_s = seconds_since(start);
  if (result != expected) {
    std::fprintf(stderr, "%s: wrong result\n", report.at("contestant").get<std::string>().c_str());
    return 1;
  }
  auto const figures = run.summary();
  auto const nodes = static_cast<double>(run.nodes());
  report["backend"] = figures.backend;
  report.update(figures_of(figures, wall_s));
  report["bytes_per_node"] = static_cast<double>(peak_memory_bytes() - memory_before_bytes) / nodes;
  bench::report(report);
  return 0;
}

}  // namespace bench
