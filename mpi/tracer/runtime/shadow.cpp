// SPDX-License-Identifier: BSD-3-Clause
#include "shadow.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace ovlp::mpi::tracer {

shadow memory;

namespace {

[[noreturn]] void give_up(char const* what) {
  std::fprintf(stderr, "ovlp: the tracer finds no memory for %s\n", what);
  std::abort();
}

// Before the constructors of the program, whose accesses count.
__attribute__((constructor(101))) void reserve_tables() {
  constexpr std::size_t bytes = sizeof(std::uint64_t*) << (address_bits - page_bits);
  for (page_table* const table : {&memory.stored, &memory.sent, &memory.loaded})
    table->pages = static_cast<std::uint64_t**>(instrument::reserve(bytes));
}

/// Pages are never given back. Not from malloc(): its caller may be the program's own.
std::uint64_t* new_page() {
  constexpr std::size_t page_bytes = words_of_page * sizeof(std::uint64_t), chunk_bytes = page_bytes * 256;
  static std::atomic_flag taken = ATOMIC_FLAG_INIT;
  static char* chunk = nullptr;
  static std::size_t left = 0;
  while (taken.test_and_set(std::memory_order_acquire)) {
  }
  if (left == 0) {
    chunk = static_cast<char*>(instrument::reserve(chunk_bytes));
    if (chunk == nullptr) give_up("times of accesses");
    left = chunk_bytes;
  }
  left -= page_bytes;
  auto* const page = reinterpret_cast<std::uint64_t*>(chunk + left);
  taken.clear(std::memory_order_release);
  return page;
}

}  // namespace

std::uint64_t* add_page(page_table& to, std::uintptr_t address, std::uint64_t time) {
  std::uint64_t* const made = new_page();
  if (time != 0) {
    for (std::size_t word = 0; word < words_of_page; ++word) made[word] = time;
  }
  std::uint64_t* expected = nullptr;  // unless another thread has added it meanwhile
  bool const added =
      __atomic_compare_exchange_n(&to.page(address), &expected, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return added ? made : expected;
}

__attribute__((cold)) void store_in_new_page(std::uintptr_t address) {
  add_page(memory.stored, address, 0)[page_table::word(address)] = memory.clock;
}

void expect_tables() {
  memory.instrumented = true;
  if (memory.stored.pages == nullptr || memory.sent.pages == nullptr || memory.loaded.pages == nullptr) {
    give_up("its tables: 768 GiB of addresses, which a limit (ulimit -v) or strict overcommitment refuses");
  }
}

}  // namespace ovlp::mpi::tracer
