// SPDX-License-Identifier: BSD-3-Clause
/// What benchmarks of a simulation report of a call.
#pragma once

#include <ovlp/ovlp.hpp>

#include "contestant.hpp"

namespace bench {

/// Figures of the call that ended last, and what this process has needed so far. `wall_s`: of the call.
inline json figures_of(ovlp::summary const& call, double wall_s) {
  double const cpu_s = process_cpu_s();
  return {{"nodes", call.nodes},
          {"time_s", call.time_s},
          {"atomic_steps", call.atomic_steps},
          {"transfers", call.transfers},
          {"wall_s", wall_s},
          {"cpu_s", cpu_s},
          {"events_per_cpu_s", static_cast<double>(call.atomic_steps + call.transfers) / cpu_s},
          {"peak_memory_bytes", peak_memory_bytes()}};
}

}  // namespace bench
