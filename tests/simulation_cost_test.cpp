// SPDX-License-Identifier: BSD-3-Clause
// What a simulation costs, in counts that are the same on every machine: so that speed cannot rot unseen.
#include "support/counted_memory.hpp"
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>

namespace {

using engine = ovlp::engine_base;
using ovlp::threads;
using ovlp::testing::memory;

ovlp::graph<int, int> squares(threads<>& master, threads<>& workers) {
  return ovlp::split("count", master.at(0),
                     [](int n, ovlp::out<int>& out) {
                       for (int i = 0; i < n; ++i) out.post(i);
                     })
             .window(16) >>
         ovlp::leaf("work", workers.in_turn(),
                    [](ovlp::here<>& here, int i) {
                      here.kernel("work", {}, [] {});
                      return i;
                    }) >>
         ovlp::reduce("add", master.at(0), std::plus<>{});
}

/// Bytes in use when `nodes` nodes have run a graph that maps threads to `used` of them.
std::ptrdiff_t bytes_with(std::size_t nodes, std::size_t used) {
  std::ptrdiff_t bytes = 0;
  ovlp::testing::simulate_on(
      nodes, {},
      [&](engine& run) {
        std::ptrdiff_t const before = memory.live_bytes;
        threads<> master("master", 1), workers("workers", used);
        run(squares(master, workers), static_cast<int>(used));
        bytes = memory.live_bytes - before;
      },
      ovlp::testing::checks::none);
  return bytes;
}

}  // namespace

TEST_CASE("a simulated object allocates nothing once as many have been under way") {
  ovlp::testing::simulate_on(
      4, {"--execution", "partial"},
      [](engine& run) {
        run.estimate("work", 1e-3);
        threads<> master("master", 1), workers("workers", 4);
        auto const graph = squares(master, workers);
        auto const taken_by = [&](int objects) {
          std::ptrdiff_t const before = memory.taken_blocks;
          run(graph, objects);
          return memory.taken_blocks - before;
        };
        taken_by(1000);
        std::ptrdiff_t const few = taken_by(1000), many = taken_by(3000);
        CAPTURE(few);
        CAPTURE(many);
        CHECK(many < few + 20);  // 2,000 objects, 6,000 steps and transfers more
      },
      ovlp::testing::checks::none);
}

TEST_CASE("a node that has done little takes some kilobytes, one that does nothing less than one") {
  std::ptrdiff_t const idle = (bytes_with(3000, 10) - bytes_with(1000, 10)) / 2000;
  CHECK(idle < 1024);
  std::ptrdiff_t const busy = (bytes_with(3000, 3000) - bytes_with(1000, 1000)) / 2000;
  CAPTURE(idle);
  CHECK(busy < 5632);
}
