// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// How much of something each node did in each of many equal parts of a run.
class node_use {
 public:
  node_use(std::size_t nodes, double origin_s, double duration_s);

  /// An amount, spread evenly over a time.
  void add(std::uint32_t node, double from_s, double to_s, double amount);
  /// A second's amount, by node and within it by time.
  nlohmann::ordered_json pack(columns& into) const;

  std::size_t bins() const { return bins_; }

 private:
  std::size_t bins_;
  double origin_s_;
  double width_s_;
  std::vector<double> amounts_;
};

}  // namespace ovlp::report
