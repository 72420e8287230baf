// SPDX-License-Identifier: BSD-3-Clause
// The benchmark as all its programs run it: which operations, with which sizes, and what they print.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "operations.hpp"
#include "results.hpp"
#include "search.hpp"

namespace ovlp::overlap_bench {

struct settings {
  std::vector<std::string> operations;  ///< none: all
  std::size_t bytes = 65536;            ///< of a block: what a rank gives another one, or all
  double least_s = 0;                   ///< time-driven, in the place of `bytes`: what the operation is to take
  std::size_t slices = 16;              ///< of the work, where it is interrupted for progress
  search_options search;

  static constexpr std::size_t most_bytes = std::size_t{1} << 30;
};

/// What is run: an operation, and what is injected.
struct trial {
  operation what;
  std::size_t bytes;   ///< of a block
  double work_s;       ///< in each rank
  std::size_t slices;  ///< of the work: between two of them there is a call for progress
};

/// Runs it so often; as `measurement`.
using trial_runner = std::function<std::vector<run_times>(trial const&, std::size_t runs)>;

/// Measures each operation, without and with calls for progress, and prints each row to standard output as soon as it
/// is known. Errors: config_error, that names the operation; what `run` throws.
void run_benchmark(settings const& what, std::string const& backend, std::size_t ranks, trial_runner const& run);

}  // namespace ovlp::overlap_bench
