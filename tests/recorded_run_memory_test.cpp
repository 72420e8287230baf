// SPDX-License-Identifier: BSD-3-Clause
// How much memory a recorded run takes, once it is collected and while it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ovlp/records/recorded_run.hpp>

#include "support/counted_memory.hpp"

TEST_CASE(
    "ten million steps, each with an object that was posted, take less than 1 GB, and 2.5 GB while they are "
    "collected") {
  constexpr std::uint32_t steps = 300'000;  // more than a power of two, so that what grows by doubling is seen
  constexpr double of_ten_million = 10e6 / steps;
  std::ptrdiff_t const before = ovlp::testing::memory.live_bytes;
  ovlp::run_collector records;
  records.begin(
      {"app", "simulated", 4, 0, {"all"}, {{"g", {{"split", "deal", 0}, {"leaf", "work", 0}}}}, {1, 1, 1, 1}});
  for (std::uint32_t i = 0; i < steps; ++i) {
    std::uint32_t const node = i % 4;
    ovlp::operation_place const at{1, node, 0, i % 2, i % 64, static_cast<std::int32_t>(i / 1000)};
    ovlp::object_key const key{2, i, 1};
    double const start_s = i * 1e-3;
    records.post({at, 0, key, (i + 1) % 64, (i + 1) % 4, start_s});
    records.step({at, key, start_s, start_s + 5e-4, 5e-4, 4e-4});
  }
  std::ptrdiff_t const collected = ovlp::testing::memory.live_bytes - before;
  ovlp::recorded_run const run = records.take();
  std::ptrdiff_t const taken = ovlp::testing::memory.live_bytes - before;
  CHECK(run.steps.size() == steps);
  CHECK(run.objects.size() == steps);
  MESSAGE("bytes a step: " << static_cast<double>(taken) / steps << ", while it is collected "
                           << static_cast<double>(collected) / steps);
  CHECK(static_cast<double>(taken) * of_ten_million < 1e9);
  CHECK(static_cast<double>(collected) * of_ten_million < 2.5e9);
}
