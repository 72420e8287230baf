// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ovlp::explore {

/// What came of a run in one interleaving.
struct outcome {
  /// In a line, what went wrong: an exception, a stall, a check, an identity that does not hold. Empty: nothing.
  std::string failure;
  std::vector<std::uint64_t> results;  ///< of the main program's calls, in their order: hashes
  std::size_t choices = 0;
  bool given_up = false;  ///< by the strategy: says nothing
  bool too_slow = false;  ///< it was ended, for it took longer than it may; the failure says so
  double seconds = 0;     ///< real time of its process
};

/// What is wrong with a run beside another one, whose order is the plain one: its own failure, or that a result is
/// another one. Empty: nothing.
std::string difference(outcome const& plain, outcome const& of);

}  // namespace ovlp::explore
