// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search.hpp"

namespace ovlp::overlap_bench {

/// A row of what the programs print and `ovlp overlap bench --csv` writes.
struct result {
  std::string operation;
  std::string backend;  ///< real, simulated, mpi
  std::size_t ranks;
  std::size_t bytes;   ///< of a block
  std::size_t slices;  ///< of the work, between which there is a call for progress; 1: none
  overlap measured;
};

/// With the line end. The columns are docs/overlap-bench.md's.
std::string csv_header();
std::string csv_row(result const& row);

/// `name` stands for the file in messages. Errors: config_error.
std::vector<result> read_results(std::string const& csv, std::string const& name);

/// For people.
std::string table_of(std::vector<result> const& rows);

}  // namespace ovlp::overlap_bench
