// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>

namespace ovlp::testing {

/// What operators new and delete have done. A program that looks takes support/counted_memory.cpp, which has them; not
/// with a sanitizer, whose operators are its own.
struct memory_counts {
  std::atomic<std::ptrdiff_t> live_blocks{0};
  std::atomic<std::ptrdiff_t> live_bytes{0};
  std::atomic<std::ptrdiff_t> taken_blocks{0};  ///< ever
};
extern memory_counts memory;

}  // namespace ovlp::testing
