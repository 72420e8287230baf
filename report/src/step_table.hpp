// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/records/record.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// All steps of a run, and the rows of a timeline: the DPS threads, each on each node on which it has lived.
class step_table {
 public:
  struct row {
    std::uint32_t node, collection, thread;
    friend bool operator<(row const& a, row const& b) {
      return std::tie(a.node, a.collection, a.thread) < std::tie(b.node, b.collection, b.thread);
    }
  };
  struct step {
    double start_s, end_s, computed_s, work_s;
    std::uint64_t call;
    std::uint32_t row;
    std::uint32_t operation;  ///< of all graphs
    std::int32_t iteration;
  };

  void add(step_record const& r, std::uint32_t operation, std::uint32_t collection);

  bool empty() const { return steps_.empty(); }
  std::vector<step> const& all() const { return steps_; }
  row const& row_of(step const& s) const { return rows_[s.row]; }
  /// In the order of their ends; of those with the same end, in which they came.
  void sort_by_end();
  /// By row, and start in it; rows by node, collection and thread. Returns the rows and the columns. Times become ticks
  /// since `origin_s`.
  nlohmann::ordered_json pack(columns& into, double origin_s);
  /// The row of a thread on a node, if it had steps there; after pack().
  std::optional<std::size_t> find(row const& wanted) const;

 private:
  std::vector<step> steps_;
  std::vector<row> rows_;
  std::map<row, std::uint32_t> numbers_;
};

}  // namespace ovlp::report
