// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/records/recorded_run.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// All steps of a run as a page shows them: a row for each DPS thread on each node on which it had steps, by node,
/// collection and thread; in a row by their starts.
class timeline {
 public:
  explicit timeline(recorded_run const& of);

  /// The rows and the columns. Times become ticks since `origin_s`. `first_operation`: of each graph, among those of
  /// all.
  nlohmann::ordered_json pack(columns& into, double origin_s, std::vector<std::uint32_t> const& first_operation) const;
  /// The row of a thread on a node, if it had steps there.
  std::optional<std::size_t> find(recorded_run::residence const& wanted) const;

 private:
  recorded_run const& run_;
  std::vector<recorded_run::residence> rows_;
  std::vector<std::uint32_t> first_of_row_;  ///< among the steps
  std::vector<std::uint32_t> steps_;         ///< their numbers
};

}  // namespace ovlp::report
