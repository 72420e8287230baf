// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace ovlp::testing {

/// OVLP_TEST_SEED if set, to repeat a run, else another one each time; printed.
inline std::uint64_t new_seed() {
  char const* const given = std::getenv("OVLP_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): one thread
  std::uint64_t const seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  MESSAGE("OVLP_TEST_SEED=" << seed);
  return seed;
}

}  // namespace ovlp::testing
