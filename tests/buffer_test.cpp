// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>

using ovlp::buffer;

namespace {

struct Point {
  double x;
  float y;
};

buffer<int> counting(std::size_t size) {
  buffer<int> made(size);
  auto const elements = made.mutate();
  std::iota(elements.begin(), elements.end(), 0);
  return made;
}

/// What a post does.
template <class T>
buffer<T> share(buffer<T> const& with) {
  return with;
}

std::size_t guarded_bytes = 0;  // what the guard was told

void set_guard(ovlp::detail::allocation_guard_function guard) { ovlp::detail::allocation_guard = guard; }

/// The guard is off again at the end of a test, however it ends.
struct guard_for_test {
  explicit guard_for_test(ovlp::detail::allocation_guard_function guard) { set_guard(guard); }
  guard_for_test(guard_for_test const&) = delete;
  guard_for_test& operator=(guard_for_test const&) = delete;
  ~guard_for_test() { set_guard(nullptr); }
};

}  // namespace

TEST_CASE("a buffer has no elements by default") {
  buffer<double> const none;
  CHECK(none.empty());
  CHECK(none.size() == 0);
  CHECK(none.data() == nullptr);
  CHECK(none.view().empty());
  CHECK(none.begin() == none.end());
  CHECK_FALSE(none.allocated());
  CHECK(buffer<double>(0).same_storage(none));
  CHECK(buffer<double>(0).mutate().empty());
}

TEST_CASE("a buffer has its size from birth and its memory from the first touch") {
  buffer<double> const b(1000);
  CHECK(b.size() == 1000);
  CHECK(b.size_bytes() == 8000);
  CHECK_FALSE(b.allocated());
  CHECK(b[999] == 0.0);
  CHECK(b.allocated());
}

TEST_CASE("elements are zero at first and aligned to 64 bytes, whatever their number") {
  for (std::size_t size : {1U, 2U, 7U, 63U, 64U, 65U, 1000U, 4096U, 100'000U, 3'000'001U}) {
    buffer<std::uint8_t> const b(size);
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 64 == 0);
    CHECK(std::all_of(b.begin(), b.end(), [](std::uint8_t x) { return x == 0; }));
    auto const u = buffer<std::uint8_t>::uninitialized(size);
    CHECK(u.size() == size);
    CHECK_FALSE(u.allocated());
    CHECK(reinterpret_cast<std::uintptr_t>(u.data()) % 64 == 0);
  }
}

TEST_CASE("elements may be trivially copyable structs") {
  buffer<Point> points(3);
  CHECK(points.size() == 3);
  CHECK(points.size_bytes() == 3 * sizeof(Point));
  points.mutate()[2] = {1.5, 2.5F};
  CHECK(points[2].x == 1.5);
  CHECK(points[1].y == 0.0F);
}

TEST_CASE("copies share their elements") {
  buffer<int> const a = counting(100);
  buffer<int> const b = share(a);
  CHECK(a.same_storage(b));
  CHECK(a.data() == b.data());
  CHECK_FALSE(a.same_storage(counting(100)));
}

TEST_CASE("copies made before the first touch share it") {
  buffer<int> const a(100);
  buffer<int> const b = share(a);
  CHECK(a.data() == b.data());
  CHECK(b.allocated());
}

TEST_CASE("a shared buffer is copied by mutate, so what its owner writes is its own") {
  buffer<int> sent = counting(100);
  buffer<int> received = sent;
  received.mutate()[5] = -1;
  CHECK_FALSE(sent.same_storage(received));
  CHECK(sent[5] == 5);
  CHECK(received[5] == -1);
  CHECK(received[99] == 99);
  sent.mutate()[6] = -2;
  CHECK(received[6] == 6);
}

TEST_CASE("a buffer that is not shared is written in place") {
  buffer<int> a = counting(100);
  int const* const before = a.data();
  static_cast<void>(share(a));  // gone again
  CHECK(a.mutate().data() == before);
  buffer<int> b = std::move(a);
  CHECK(b.mutate().data() == before);
}

TEST_CASE("mutate of a shared buffer that nobody touched leaves the other untouched") {
  buffer<int> a(100);
  buffer<int> const b = a;
  a.mutate()[0] = 1;
  CHECK(a[1] == 0);
  CHECK_FALSE(b.allocated());
  CHECK(b[0] == 0);
}

TEST_CASE("a buffer that was moved from is empty") {
  buffer<int> a = counting(10);
  buffer<int> const b = std::move(a);
  CHECK(a.empty());  // NOLINT(bugprone-use-after-move): this is the promise
  CHECK(b.size() == 10);
}

TEST_CASE("assignment replaces size and elements, also by itself") {
  buffer<int> a = counting(10);
  buffer<int> const b = counting(20);
  a = b;
  CHECK(a.same_storage(b));
  buffer<int> const& same = a;
  a = same;
  CHECK(a.size() == 20);
  CHECK(a[19] == 19);
}

TEST_CASE("a size that no memory has is refused at birth") {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS_AS(buffer<double>{most / 4}, std::bad_alloc);
  CHECK_THROWS_AS(buffer<char>{most}, std::bad_alloc);
  CHECK_THROWS_AS(buffer<char>{most / 2}, std::bad_alloc);
  CHECK_THROWS_AS(static_cast<void>(buffer<double>::uninitialized(most / 8)), std::bad_alloc);
}

TEST_CASE("the allocation guard hears of the first touch, and only of that") {
  guarded_bytes = 0;
  guard_for_test const guard([](std::size_t bytes) { guarded_bytes += bytes; });
  buffer<double> a(10);
  buffer<double> b = a;
  CHECK(guarded_bytes == 0);
  CHECK(a[0] == 0);
  CHECK(b[1] == 0);
  CHECK(guarded_bytes == 80);
  b.mutate()[0] = 1;  // a copy is a new allocation
  CHECK(guarded_bytes == 160);
}

TEST_CASE("the allocation guard can refuse a touch, and the buffer stays as it was") {
  buffer<double> a(10);
  buffer<double> b = a;
  {
    guard_for_test const guard([](std::size_t) { throw std::logic_error("no touch here"); });
    CHECK_THROWS_AS(static_cast<void>(a.data()), std::logic_error);
    CHECK_THROWS_AS(static_cast<void>(b.mutate()), std::logic_error);
    CHECK_FALSE(a.allocated());
    std::thread elsewhere([] { static_cast<void>(buffer<int>(5)[0]); });  // the guard is this thread's alone
    elsewhere.join();
  }
  CHECK(a.size() == 10);
  CHECK(b[3] == 0.0);
}

TEST_CASE("buffers that share elements get one memory when several threads touch them at once") {
  constexpr std::size_t threads = 4;
  constexpr int rounds = 500;
  std::vector<buffer<int>> mine(threads);
  std::vector<int const*> seen(threads);
  std::atomic<int> failures = 0;
  buffer<int> shared;
  std::barrier turn(static_cast<std::ptrdiff_t>(threads));
  auto const body = [&](std::size_t me) {
    for (int round = 0; round < rounds; ++round) {
      if (me == 0) {
        shared = round % 2 == 0 ? buffer<int>(300) : buffer<int>::uninitialized(300);
        for (auto& handle : mine) handle = shared;
        shared = {};
      }
      turn.arrive_and_wait();
      seen[me] = mine[me].data();
      if (round % 2 == 0 && mine[me][299] != 0) ++failures;
      turn.arrive_and_wait();
      if (seen[me] != seen[0]) ++failures;
      turn.arrive_and_wait();
    }
  };
  std::vector<std::thread> running;
  running.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (auto& thread : running) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("threads that mutate buffers which share elements each write their own") {
  constexpr int threads = 4;
  constexpr int rounds = 300;
  std::atomic<int> failures = 0;
  std::vector<buffer<int>> handles(threads);
  std::barrier turn(threads);
  auto const body = [&](int me) {
    for (int round = 0; round < rounds; ++round) {
      if (me == 0) {
        buffer<int> const start = round % 2 == 0 ? counting(200) : buffer<int>(200);
        for (auto& handle : handles) handle = start;
      }
      turn.arrive_and_wait();
      auto handle = std::move(handles[static_cast<std::size_t>(me)]);
      int const expected = round % 2 == 0 ? 7 : 0;
      if (handle[7] != expected) ++failures;
      for (int& x : handle.mutate()) x = me;
      if (!std::all_of(handle.begin(), handle.end(), [me](int x) { return x == me; })) ++failures;
      turn.arrive_and_wait();
    }
  };
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (auto& thread : running) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("a slice shares the elements of its buffer and keeps them alive") {
  buffer<int> part;
  {
    buffer<int> const whole = counting(100);
    part = whole.slice(10, 5);
    CHECK(part.data() == whole.data() + 10);
    CHECK(part.slice(1, 3).data() == whole.data() + 11);
    CHECK(whole.slice(100, 0).empty());
    CHECK_THROWS_WITH_AS(static_cast<void>(whole.slice(98, 3)),
                         "slice of a buffer: expected at most 100 elements, got those from 98 to 101",
                         std::out_of_range);
  }
  CHECK(part.size() == 5);
  CHECK(part.size_bytes() == 5 * sizeof(int));
  for (std::size_t i = 0; i < 5; ++i) CHECK(part[i] == static_cast<int>(10 + i));
}

TEST_CASE("who writes to a slice or to its buffer gets elements of its own while the other is there") {
  buffer<int> whole = counting(100);
  buffer<int> part = whole.slice(10, 5);
  part.mutate()[0] = -1;
  CHECK(part[0] == -1);
  CHECK(part[1] == 11);
  CHECK(whole[10] == 10);
  part = whole.slice(10, 5);
  whole.mutate()[10] = -2;
  CHECK(whole[10] == -2);
  CHECK(part[0] == 10);
  int const* const elements = part.data();
  part.mutate()[0] = 3;  // the last one that has them
  CHECK(part.data() == elements);
}

TEST_CASE("a slice of a buffer without memory has none, and zeros when touched") {
  buffer<int> const whole(100);
  buffer<int> part = whole.slice(50, 10);
  CHECK(!part.allocated());
  CHECK(!whole.allocated());
  CHECK(part[3] == 0);
  CHECK(whole.allocated());
  buffer<int> other = whole.slice(0, 10);
  CHECK(other.mutate()[9] == 0);
}
