// SPDX-License-Identifier: BSD-3-Clause
// What a simulation costs, in counts that are the same on every machine: so that speed cannot rot unseen.
#include "support/run_on.hpp"

#include <doctest/doctest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>

namespace {

struct counts {
  std::size_t taken = 0;  ///< blocks, ever
  std::size_t bytes = 0;  ///< in use
} now;

void* take(std::size_t bytes, std::size_t alignment) {
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const block = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (block == nullptr) throw std::bad_alloc();
  ++now.taken;
  now.bytes += ::malloc_usable_size(block);
  return block;
}
void give(void* block) {
  now.bytes -= ::malloc_usable_size(block);
  std::free(block);
}

}  // namespace

// Of the one OS thread that a simulation has.
void* operator new(std::size_t bytes) { return take(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { give(block); }
void operator delete(void* block, std::size_t) noexcept { give(block); }
void operator delete(void* block, std::align_val_t) noexcept { give(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give(block); }

namespace {

using engine = ovlp::engine_base;
using ovlp::threads;

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
std::size_t bytes_with(std::size_t nodes, std::size_t used) {
  std::size_t bytes = 0;
  ovlp::testing::simulate_on(nodes, {}, [&](engine& run) {
    std::size_t const before = now.bytes;
    threads<> master("master", 1), workers("workers", used);
    run(squares(master, workers), static_cast<int>(used));
    bytes = now.bytes - before;
  });
  return bytes;
}

}  // namespace

TEST_CASE("a simulated object allocates nothing once as many have been under way") {
  ovlp::testing::simulate_on(4, {"--execution", "partial"}, [](engine& run) {
    run.estimate("work", 1e-3);
    threads<> master("master", 1), workers("workers", 4);
    auto const graph = squares(master, workers);
    auto const taken_by = [&](int objects) {
      std::size_t const before = now.taken;
      run(graph, objects);
      return now.taken - before;
    };
    taken_by(1000);
    std::size_t const few = taken_by(1000), many = taken_by(3000);
    CAPTURE(few);
    CAPTURE(many);
    CHECK(many < few + 20);  // 2,000 objects, 6,000 steps and transfers more
  });
}

TEST_CASE("a node that has done little takes some kilobytes, one that does nothing less than one") {
  std::size_t const idle = (bytes_with(3000, 10) - bytes_with(1000, 10)) / 2000;
  CHECK(idle < 1024);
  std::size_t const busy = (bytes_with(3000, 3000) - bytes_with(1000, 1000)) / 2000;
  CAPTURE(idle);
  CHECK(busy < 5 * 1024);
}
