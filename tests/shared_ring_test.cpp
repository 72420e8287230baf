// SPDX-License-Identifier: BSD-3-Clause
// A ring in shared memory, both ends of which are in this process.
#include "real/shared_ring.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <ovlp/base/error.hpp>

#include "support/seed.hpp"

namespace {

using ovlp::real::shared_ring;

struct ends {
  std::unique_ptr<shared_ring> maker = shared_ring::make();
  std::unique_ptr<shared_ring> other = maker ? shared_ring::map(maker->where()) : nullptr;
};

bool write(shared_ring& ring, std::string const& text) {
  // In two parts, the first of which may be empty.
  auto const bytes = std::as_bytes(std::span(text));
  std::span<std::byte const> const parts[] = {bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)};
  return ring.write(parts);
}
std::string read(shared_ring& ring) {
  auto const record = ring.front();
  if (!record) return "nothing";
  std::string text(reinterpret_cast<char const*>(record->data()), record->size());
  ring.pop();
  return text;
}

/// The memory itself, as a process that means harm has it.
shared_ring::memory& memory_of(shared_ring const& ring) {
  void* const there =
      ::mmap(nullptr, sizeof(shared_ring::memory), PROT_READ | PROT_WRITE, MAP_SHARED, ring.where().descriptor, 0);
  REQUIRE(there != MAP_FAILED);
  return *static_cast<shared_ring::memory*>(there);
}

}  // namespace

TEST_CASE("records arrive whole and in order, both ways") {
  ends const of;
  REQUIRE(of.other);
  CHECK(of.maker->mapped());
  CHECK(read(*of.other) == "nothing");
  CHECK(write(*of.maker, "first"));
  CHECK(write(*of.maker, std::string(shared_ring::largest_record, 'x')));
  CHECK(write(*of.other, "back"));
  CHECK(read(*of.other) == "first");
  CHECK(write(*of.maker, "last"));
  CHECK(read(*of.other) == std::string(shared_ring::largest_record, 'x'));
  CHECK(read(*of.other) == "last");
  CHECK(read(*of.other) == "nothing");
  CHECK(read(*of.maker) == "back");
  CHECK(read(*of.maker) == "nothing");
}

TEST_CASE("where files may not be as long as a ring there is none, and the process goes on") {
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
  rlimit shorter = usual;
  shorter.rlim_cur = sizeof(shared_ring::memory) - 1;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &shorter) == 0);
  auto const made = shared_ring::make();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
  CHECK(made == nullptr);
}

TEST_CASE("the oldest record stays until it is taken, whatever its writer does") {
  ends const of;
  REQUIRE(of.other);
  write(*of.maker, "good");
  auto const seen = of.other->front();
  REQUIRE(seen);
  memory_of(*of.maker).ways[0].bytes.fill(std::byte{'x'});
  CHECK(std::memcmp(seen->data(), "good", 4) == 0);
  CHECK(read(*of.other) == "good");
}

TEST_CASE("a full ring takes no more until something is taken from it") {
  ends const of;
  REQUIRE(of.other);
  std::string const large(shared_ring::largest_record, 'x');
  std::size_t written = 0;
  while (write(*of.maker, large)) ++written;
  CHECK(written == 7);  // each has a length before it
  CHECK(write(*of.maker, "small"));
  while (write(*of.maker, "tiny")) ++written;
  CHECK(read(*of.other) == large);
  CHECK(write(*of.maker, large));
  CHECK(!write(*of.maker, large));
  CHECK(!write(*of.maker, large + "x"));  // too large for ever
  for (int i = 0; i < 6; ++i) CHECK(read(*of.other) == large);
  CHECK(read(*of.other) == "small");
}

TEST_CASE("records of all sizes pass between two threads, also over the end of the memory") {
  ends const of;
  REQUIRE(of.other);
  constexpr int count = 20000;
  std::uint64_t const seed = ovlp::testing::new_seed();
  auto const text = [](std::mt19937_64& from, int number) {
    return std::to_string(number) +
           std::string(from() % (from() % 50 == 0 ? shared_ring::largest_record - 16 : 200), 'x');
  };
  std::thread writer([&] {
    std::mt19937_64 from(seed);
    for (int i = 0; i < count; ++i) {
      std::string const next = text(from, i);
      while (!write(*of.maker, next)) std::this_thread::yield();
    }
  });
  std::mt19937_64 from(seed);
  bool same = true;
  for (int i = 0; i < count; ++i) {
    while (!of.other->front()) std::this_thread::yield();
    same = same && read(*of.other) == text(from, i);
  }
  writer.join();
  CHECK(same);
}

TEST_CASE("a reader that sleeps has seen all, or the writer sees that it sleeps") {
  ends const of;
  REQUIRE(of.other);
  constexpr int count = 20000;
  std::atomic<int> rung{0};  // times that the writer has woken the reader
  std::thread writer([&] {
    for (int i = 0; i < count; ++i) {
      while (!write(*of.maker, "next")) std::this_thread::yield();
      if (of.maker->reader_sleeps()) {
        ++rung;
        rung.notify_one();
      }
    }
  });
  for (int taken = 0; taken < count;) {
    int const before = rung;
    of.other->sleep();
    if (!of.other->front()) rung.wait(before);
    of.other->awake();
    for (; of.other->front(); ++taken) of.other->pop();
  }
  writer.join();
  CHECK(read(*of.other) == "nothing");
}

TEST_CASE("positions and lengths that cannot be are errors") {
  ends const of;
  REQUIRE(of.other);
  auto& written = memory_of(*of.maker).ways[0].written;
  auto& bytes = memory_of(*of.maker).ways[0].bytes;
  write(*of.maker, "some text");
  SUBCASE("more is written than there is room for") { written = shared_ring::capacity + 8; }
  SUBCASE("less is written than was read") { written = std::uint64_t{0} - 8; }
  SUBCASE("a part of a length is written") { written = 4; }
  SUBCASE("a record that has not been written whole") { written = 16; }
  SUBCASE("an empty record") { bytes.fill({}); }
  SUBCASE("a record that is too long") { bytes.fill(std::byte{0xff}); }
  CHECK_THROWS_AS(of.other->front(), ovlp::network_error);
}

TEST_CASE("a reader that cannot have read so much is an error for who writes") {
  ends const of;
  REQUIRE(of.other);
  auto& taken = memory_of(*of.maker).ways[0].read;
  SUBCASE("more than was written") { taken = shared_ring::capacity + 64; }
  SUBCASE("less than nothing") { taken = std::uint64_t{0} - 64; }
  auto const fill = [&of] {
    while (write(*of.maker, "text")) {
    }
  };
  CHECK_THROWS_AS(fill(), ovlp::network_error);
}

TEST_CASE("what is not the ring that was meant is not mapped") {
  auto const made = shared_ring::make();
  REQUIRE(made);
  shared_ring::place where = made->where();
  int other = -1;
  SUBCASE("none") { where = {}; }
  SUBCASE("another token") { ++where.token; }
  SUBCASE("another process") { where.process = 1; }
  SUBCASE("no process") { where.process = 0x7fffffff; }
  SUBCASE("no file") { where.descriptor = 999; }
  SUBCASE("another file") {
    other = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    where.descriptor = other;
  }
  SUBCASE("memory that may shrink") {
    other = ::memfd_create("ovlp-ring", MFD_CLOEXEC);
    CHECK(::ftruncate(other, sizeof(shared_ring::memory)) == 0);
    where.descriptor = other;
  }
  SUBCASE("memory of another size") {
    other = ::memfd_create("ovlp-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(::fcntl(other, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
    where.descriptor = other;
  }
  SUBCASE("one that is hidden") { made->hide(); }
  CHECK(!shared_ring::map(where));
  CHECK(!made->mapped());
  if (other >= 0) ::close(other);
}
