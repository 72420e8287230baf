// SPDX-License-Identifier: BSD-3-Clause
// Memory of small blocks that come and go.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/memory.hpp>
#include <ovlp/flowgraph/sanitizers.hpp>

using ovlp::detail::give_block;
using ovlp::detail::take_block;

TEST_CASE("blocks of any size hold what is written to them while others come and go") {
  constexpr unsigned seed = 7;
  CAPTURE(seed);
  std::mt19937 random(seed);
  struct held {
    unsigned char* block;
    std::size_t bytes;
    unsigned char content;
  };
  std::vector<held> all;
  auto const let_go = [&](std::size_t at) {
    held const one = std::exchange(all[at], all.back());
    all.pop_back();
    bool intact = true;
    for (std::size_t i = 0; i < one.bytes; ++i) intact = intact && one.block[i] == one.content;
    CHECK(intact);
    give_block(one.block, one.bytes);
  };
  for (int i = 0; i < 20'000; ++i) {
    std::size_t const bytes = 16 + random() % 1200;
    auto const content = static_cast<unsigned char>(random());
    auto* const block = static_cast<unsigned char*>(take_block(bytes));
    CHECK(reinterpret_cast<std::size_t>(block) % alignof(std::max_align_t) == 0);
    std::memset(block, content, bytes);
    all.push_back({block, bytes, content});
    while (all.size() > 500) let_go(random() % all.size());
  }
  while (!all.empty()) let_go(0);
}

#if !defined(OVLP_ADDRESS_SANITIZER) && !defined(OVLP_THREAD_SANITIZER)
namespace {

std::vector<void*> take(std::size_t count, std::size_t bytes) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(take_block(bytes));
  return blocks;
}

void give(std::vector<void*> const& blocks, std::size_t bytes) {
  for (void* block : blocks) give_block(block, bytes);
}

}  // namespace

TEST_CASE("what one thread takes and others free is taken again") {
  std::set<void*> known;
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> const blocks = take(10'000, 128);
    known.insert(blocks.begin(), blocks.end());
    std::thread([&] { give(blocks, 128); }).join();
  }
  CHECK(known.size() < 11'000);  // and not 200,000
}

TEST_CASE("what a thread keeps goes to others when it ends") {
  std::set<void*> known;
  for (int round = 0; round < 200; ++round) {
    std::thread([&] {
      std::vector<void*> const blocks = take(10, 256);
      known.insert(blocks.begin(), blocks.end());
      give(blocks, 256);
    }).join();
  }
  CHECK(known.size() < 100);  // and not 2,000
}
#endif
