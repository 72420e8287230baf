// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <ovlp/records/kernel_table.hpp>
#include <ovlp/runtime/internal/backend.hpp>

namespace ovlp::sim {

/// What kernels, and steps beside them, took in another run of the same program: a run on another network charges that,
/// and differs by the network alone. Not what people write: `ovlp metrics` makes the file of a record.
///
///     {"kernels": [{"collection": 0, "thread": 3, "name": "gemm", "sizes": [8, 8], "work_s": [1e-3]}],
///      "steps": [{"graph": 0, "operation": 1, "thread": 3, "remainder_s": [2e-6]}]}
class charged_run {
 public:
  /// Errors: io_error, config_error.
  explicit charged_run(std::string const& file);

  /// Work of the next kernel of that name and these sizes in that DPS thread; nothing if there it did no more.
  std::optional<double> next_work_s(kernel_call const& what);
  /// Of the next step of that operation in that DPS thread.
  std::optional<double> next_remainder_s(operation_place const& at);

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, kernel_table<std::deque<double>>> kernels_;  ///< by DPS thread
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<double>> steps_;
};

}  // namespace ovlp::sim
