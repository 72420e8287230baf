// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ovlp/records/record.hpp>
#include <ovlp/records/work_over_time.hpp>

namespace ovlp {

/// Sums over the records of a run, or of one process of it, kept in their place. Memory grows with operations,
/// iterations, nodes and pairs of nodes that talk, not with steps. A value. Thread: one at a time.
struct run_totals {
  struct operation {
    std::uint64_t steps = 0;
    double computed_s = 0, work_s = 0;
  };
  struct waits {
    std::uint64_t count = 0;
    double total_s = 0, longest_s = 0;
  };
  struct messages {
    std::uint64_t objects = 0, bytes = 0, controls = 0;
  };
  /// Of a call of the main program.
  struct call_work {
    std::map<std::int32_t, iteration_work> iterations = {};
    work_over_time over_time = {};
  };

  run_totals() = default;
  explicit run_totals(run_definitions const& names);

  void add(step_record const& r);
  void add(wait_record const& r);
  void add(post_record const& r);
  void add(send_record const& r);
  /// Those of another process.
  void add(run_totals const& other);

  std::vector<std::vector<operation>> operations;  ///< by graph, and its operations
  std::map<std::uint64_t, call_work> calls;
  std::vector<work_over_time> nodes;  ///< what each computed, work and overhead, in coarse bins
  std::map<std::tuple<std::uint32_t, std::uint32_t, wait_cause>, waits> waited;  ///< by graph, operation, cause
  /// Objects that were posted, by graph, operation, port, and the operation that gets them.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> posted;
  std::map<std::pair<std::uint32_t, std::uint32_t>, messages> sent;  ///< by source and destination
};

}  // namespace ovlp
