// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ovlp::overlap_bench {

/// What is measured. With a root that is rank 0.
enum class operation : std::uint8_t {
  broadcast,
  scatter,
  gather,
  reduce,
  all_reduce,
  all_gather,
  all_to_all,
  all_to_allv,
  barrier,
};

/// As the command line has it: "all-to-allv".
std::string_view name_of(operation what);
/// Of these names; of none, all operations. Errors: config_error that lists the names.
std::vector<operation> operations_named(std::vector<std::string> const& names);

/// Of the block from one rank to another in all-to-allv: the further the receiver stands behind the sender, the larger,
/// from 0 to twice `bytes`; so each rank sends and receives, on average, `bytes` a block.
/// Shape: `distance` is (receiver - sender) modulo ranks, from 1.
inline std::size_t bytes_at(std::size_t distance, std::size_t bytes, std::size_t ranks) {
  return 2 * distance * bytes / ranks;
}

}  // namespace ovlp::overlap_bench
