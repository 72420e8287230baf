// SPDX-License-Identifier: BSD-3-Clause
// Definitions of communication, and simulated caches, by themselves.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <sys/mman.h>

#include <doctest/doctest.h>

#include <ovlp/instrument/address_space.hpp>
#include <ovlp/threads/accurate.hpp>
#include <ovlp/threads/caches.hpp>
#include <ovlp/threads/relaxed.hpp>

namespace {

using namespace ovlp::shared_memory;

struct unmap {
  void operator()(counters* what) const { ::munmap(what, sizeof(counters)); }
};
using owned_counters = std::unique_ptr<counters, unmap>;
owned_counters no_counters() {
  return owned_counters(static_cast<counters*>(ovlp::instrument::reserve(sizeof(counters))));
}

/// Of one block: threads from 0.
std::map<std::pair<int, int>, int> relaxed(std::vector<int> const& accesses) {
  std::array<std::unique_ptr<counter_row>, 4> rows;
  for (auto& row : rows) row = std::make_unique<counter_row>();
  std::array<thread_counters, 4> threads{};
  recent_threads block = 0;
  for (int const t : accesses) {
    auto const i = static_cast<std::size_t>(t);
    block = access_block(block, static_cast<std::uint32_t>(t + 1), *rows[i], threads[i]);
  }
  std::map<std::pair<int, int>, int> events;
  for (int a = 0; a < 4; ++a) {
    std::int64_t all = threads[static_cast<std::size_t>(a)].accesses;
    for (int place = 0; place < 5; ++place) {
      auto const n = static_cast<int>((*rows[static_cast<std::size_t>(a)])[static_cast<std::size_t>(place)]);
      all += n;
      if (place > 0 && n > 0) events[{a, place - 1}] = n;
    }
    CHECK(all == std::ranges::count(accesses, a));
  }
  return events;
}

using events = std::map<std::pair<int, int>, int>;

TEST_CASE("an access communicates with the two other threads that accessed the block last") {
  CHECK(relaxed({0, 0, 0}) == events{});
  CHECK(relaxed({0, 1}) == events{{{1, 0}, 1}});
  // Each access counts, not only the first one.
  CHECK(relaxed({0, 1, 1}) == events{{{1, 0}, 2}});
  CHECK(relaxed({0, 1, 0}) == events{{{1, 0}, 1}, {{0, 1}, 1}});
  CHECK(relaxed({0, 1, 2}) == events{{{1, 0}, 1}, {{2, 0}, 1}, {{2, 1}, 1}});
  // 1 and 2 are left: 3 does not see 0.
  CHECK(relaxed({0, 1, 2, 3}) == events{{{1, 0}, 1}, {{2, 0}, 1}, {{2, 1}, 1}, {{3, 1}, 1}, {{3, 2}, 1}});
  // Two distinct threads: 1 twice does not push 0 out, as it does where the last two accesses are kept.
  CHECK(relaxed({0, 1, 1, 2}) == events{{{1, 0}, 2}, {{2, 0}, 1}, {{2, 1}, 1}});
  // The older one becomes the most recent: 2 pushes 1 out, which is the oldest then. By the paper's text it stays.
  CHECK(relaxed({0, 1, 0, 2, 3}) ==
        events{{{1, 0}, 1}, {{0, 1}, 1}, {{2, 0}, 1}, {{2, 1}, 1}, {{3, 0}, 1}, {{3, 2}, 1}});
}

/// Small enough to be seen: two lines in L1 of each unit, four in L2 of two units, eight in L3 of four; all in one set.
constexpr std::array<cache_level, cache_levels> tiny{{{128, 2, 1}, {256, 4, 2}, {512, 8, 4}}};

TEST_CASE("a hierarchy that cannot be is refused") {
  CHECK(complaint_about(nehalem) == "");
  CHECK(complaint_about(tiny) == "");
  auto wrong = tiny;
  wrong[0].bytes = 100;
  CHECK(complaint_about(wrong) ==
        "level 1: expected a size of so many ways of lines of 64 bytes, got 100 bytes and 2 ways");
  wrong = tiny;
  wrong[2].shared_by = 3;
  CHECK(complaint_about(wrong) == "level 3: expected a multiple of the 2 units that share a cache above it, got 3");
  wrong = tiny;
  wrong[1].shared_by = 65;
  CHECK(complaint_about(wrong) == "level 2: expected 1 to 64 units that share a cache, got 65");
}

/// One set a cache, as lists: the second opinion.
class naive_hierarchy {
 public:
  std::uint32_t access(std::uint64_t line, std::size_t unit, bool stores) {
    std::uint32_t found = in_memory;
    for (auto const& [place, lines] : sets_)
      if (place.first == 2 && has(lines, line)) found = in_other_caches;
    bool hit = false;
    std::vector<std::size_t> missed;
    for (std::uint32_t level = 0; level < 3 && !hit; ++level) {
      auto& lines = set(level, unit);
      hit = has(lines, line);
      if (!hit) {
        missed.push_back(level);
        continue;
      }
      std::erase(lines, line);
      lines.push_front(line);
      found = level;
    }
    std::reverse(missed.begin(), missed.end());
    for (std::size_t const level : missed) insert(level, unit, line);
    if (stores) {
      for (auto& [place, lines] : sets_)
        if (place.second != unit / tiny[place.first].shared_by) std::erase(lines, line);
    }
    return found;
  }
  std::vector<std::uint64_t> lines(std::size_t level, std::size_t unit) {
    auto& all = set(level, unit);
    return {all.begin(), all.end()};
  }

 private:
  static bool has(std::deque<std::uint64_t> const& lines, std::uint64_t line) {
    return std::ranges::find(lines, line) != lines.end();
  }
  std::deque<std::uint64_t>& set(std::size_t level, std::size_t unit) {
    return sets_[{level, unit / tiny[level].shared_by}];
  }
  void insert(std::size_t level, std::size_t unit, std::uint64_t line) {
    auto& lines = set(level, unit);
    lines.push_front(line);
    if (lines.size() <= tiny[level].ways) return;
    std::uint64_t const victim = lines.back();
    lines.pop_back();
    if (level < 2) return;
    for (auto& [place, others] : sets_)
      if (place.second * tiny[place.first].shared_by / 4 == unit / 4) std::erase(others, victim);
  }
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::uint64_t>> sets_;
};

TEST_CASE("lines come from memory when no cache has them, as in a naive hierarchy") {
  std::uint32_t const seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  arena memory;
  cache_hierarchy caches;
  REQUIRE(caches.build(tiny, memory));
  naive_hierarchy naive;
  std::vector<cached_line> lines;
  for (std::uint64_t i = 0; i < 24; ++i) lines.push_back({i, {}});
  std::size_t fetched = 0;
  for (int i = 0; i < 20000; ++i) {
    // Now and then other lines, so that some stay.
    std::size_t const line = (random() % 8 + static_cast<std::size_t>(i) / 200) % lines.size();
    std::size_t const unit = random() % 8;
    bool const stores = random() % 4 == 0;
    std::uint32_t const expected = naive.access(line, unit, stores);
    REQUIRE(caches.access(lines[line], unit, stores) == expected);
    if (expected == in_memory) ++fetched;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      for (std::size_t level = 0; level < 3; ++level) {
        auto const there = naive.lines(level, unit);
        bool const held = ((lines[l].holders[level] >> (unit / tiny[level].shared_by)) & 1) != 0;
        REQUIRE(held == (std::ranges::find(there, l) != there.end()));
      }
    }
  }
  CHECK(fetched > 100);
  CHECK(fetched < 10000);
}

/// What an accurate detector finds, by kind.
struct found {
  explicit found(owned_counters of) : all(std::move(of)) {}
  owned_counters all;
  std::uint64_t count(kind what, std::size_t thread, std::size_t other) const {
    return all->tables[static_cast<std::size_t>(what)][thread][other + 1];
  }
};

struct turn {
  std::uint32_t thread;
  std::uintptr_t address;
  std::size_t bytes = 8;
  bool stores = false;
};

found accurate(std::vector<turn> const& turns, std::array<cache_level, cache_levels> const& levels = tiny) {
  found all(no_counters());
  for (std::uint16_t t = 0; t < 64; ++t) all.all->unit_of_thread[t] = t;
  accurate_detector detector;
  REQUIRE(detector.build(levels));
  for (turn const& t : turns) REQUIRE(detector.access(t.thread, {t.address, t.bytes, t.stores}, *all.all));
  return all;
}

TEST_CASE("two accesses to the same bytes are true communication, to others of the line spatially false") {
  auto const all = accurate({{0, 640, 8, true}, {1, 640}, {1, 648}, {2, 700, 4}, {0, 640}});
  CHECK(all.count(kind::communication, 1, 0) == 1);
  CHECK(all.count(kind::spatial_false, 1, 0) == 1);
  CHECK(all.count(kind::spatial_false, 2, 0) == 1);
  CHECK(all.count(kind::spatial_false, 2, 1) == 1);
  CHECK(all.count(kind::communication, 0, 1) == 1);
  CHECK(all.count(kind::spatial_false, 0, 2) == 1);
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t o = 0; o < 3; ++o) CHECK(all.count(kind::temporal_false, t, o) == 0);
}

TEST_CASE("a line that was evicted in between makes communication temporally false") {
  std::vector<turn> turns{{0, 0, 8, true}};
  SUBCASE("seven others leave it in the last level") {
    for (std::uintptr_t line = 1; line < 8; ++line) turns.push_back({0, 64 * line});
    turns.push_back({1, 0});
    auto const all = accurate(turns);
    CHECK(all.count(kind::communication, 1, 0) == 1);
    CHECK(all.count(kind::temporal_false, 1, 0) == 0);
  }
  SUBCASE("eight do not") {
    for (std::uintptr_t line = 1; line < 9; ++line) turns.push_back({0, 64 * line});
    turns.push_back({1, 0});
    turns.push_back({0, 0});  // it is back
    auto const all = accurate(turns);
    CHECK(all.count(kind::communication, 1, 0) == 0);
    CHECK(all.count(kind::temporal_false, 1, 0) == 1);
    CHECK(all.count(kind::communication, 0, 1) == 1);
  }
  SUBCASE("nor if another unit's last level keeps it") {
    turns.push_back({4, 0});
    for (std::uintptr_t line = 1; line < 9; ++line) turns.push_back({0, 64 * line});
    turns.push_back({1, 0});
    auto const all = accurate(turns);
    CHECK(all.count(kind::communication, 1, 0) == 1);
    CHECK(all.count(kind::communication, 1, 4) == 1);
  }
}

TEST_CASE("accesses to lines of one thread only are private, also those before another one came") {
  auto all = accurate({{0, 0}, {0, 8}, {0, 64}, {1, 128}});
  CHECK(all.all->of_thread[0].private_accesses == 3);
  CHECK(all.all->of_thread[1].private_accesses == 1);
  all = accurate({{0, 0}, {0, 8}, {0, 64}, {1, 128}, {1, 0}, {0, 0}});
  CHECK(all.all->of_thread[0].private_accesses == 1);
  CHECK(all.all->of_thread[0].accesses == 4);
  CHECK(all.all->of_thread[1].private_accesses == 1);
}

TEST_CASE("an access to two lines counts on both") {
  auto const all = accurate({{0, 0, 128, true}, {1, 60, 8}});
  CHECK(all.count(kind::communication, 1, 0) == 2);
}

TEST_CASE("communication and what is temporally false are what caches without end give") {
  std::uint32_t const seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<turn> turns;
  for (int i = 0; i < 5000; ++i)
    turns.push_back({static_cast<std::uint32_t>(random() % 6), 8 * (random() % 200), 8, random() % 3 == 0});
  auto const small = accurate(turns), large = accurate(turns, {{{1 << 20, 16, 1}, {1 << 20, 16, 2}, {1 << 20, 16, 4}}});
  std::uint64_t temporal = 0;
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b < 6; ++b) {
      std::uint64_t sums[2] = {};
      for (std::size_t k = 0; k < kinds; ++k) {
        sums[0] += small.count(static_cast<kind>(k), a, b);
        sums[1] += large.count(static_cast<kind>(k), a, b);
      }
      CHECK(sums[0] == sums[1]);
      CHECK(large.count(kind::temporal_false, a, b) == 0);
      temporal += small.count(kind::temporal_false, a, b);
    }
  }
  CHECK(temporal > 0);
}

}  // namespace
