// SPDX-License-Identifier: BSD-3-Clause
#include "counting.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <ovlp/instrument/address_space.hpp>
#include <ovlp/threads/accurate.hpp>

#include "deferred_signals.hpp"
#include "observed.hpp"

namespace ovlp::shared_memory {

__thread this_thread self{nobody, 0, nullptr};

namespace {

using instrument::address_bits;

/// Without blocks: for all addresses.
std::uint32_t no_block = 0;

}  // namespace

block_table table{&no_block, address_bits};

namespace {

counters* shared = nullptr;  ///< nullptr: nothing is counted
constinit accurate_detector detector;
constinit std::array<std::atomic<std::uint64_t>, most_threads / 64> ended_threads{};  ///< of teams: bits by number
std::atomic_flag caches_taken = ATOMIC_FLAG_INIT;

void say(char const* what) { std::fprintf(stderr, "ovlp threads: %s\n", what); }

/// It could not count at all.
[[noreturn]] void give_up(char const* what, counters* asked = nullptr) {
  say(what);
  if (asked != nullptr) asked->gave_up = 1;
  ::_exit(127);
}

/// What was counted stays; no more is.
void stop_counting() {
  shared = nullptr;
  table = {&no_block, address_bits};
  self = {nobody, unobserved, nullptr};
}

counters* open_counters(char const* file) {
  int const descriptor = ::open(file, O_RDWR | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  struct stat is {};
  if (descriptor < 0 || ::fstat(descriptor, &is) != 0 || static_cast<std::size_t>(is.st_size) != sizeof(counters))
    give_up("the file for its counters, which ovlp threads trace has made, cannot be opened");
  void* const at = ::mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (at == MAP_FAILED) give_up("there is no memory for counters: 400 MiB of addresses");
  auto* const opened = static_cast<counters*>(at);
  if (opened->magic != counters::right_magic) give_up("the file for its counters is another version's");
  return opened;
}

double now_s() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

char const* counters_file = nullptr;

// Before the constructors of the program, whose accesses count.
__attribute__((constructor(101))) void begin_counting() {
  char const* const file = std::getenv(counters_variable);
  if (file == nullptr) return;
  counters_file = ::strdup(file);
  ::unsetenv(counters_variable);  // for the programs that this one starts
  counters* const opened = open_counters(counters_file);
  if (opened->claimed.exchange(1) != 0) {
    ++opened->others;
    ::munmap(opened, sizeof(counters));
    return;
  }
  if (opened->how == definition::accurate) {
    if (!detector.build(opened->caches)) give_up("there is no memory for simulated caches", opened);
  } else {
    std::size_t const blocks = std::size_t{1} << (address_bits - opened->block_bits);
    auto* const reserved = static_cast<std::uint32_t*>(instrument::reserve(blocks * sizeof(std::uint32_t)));
    if (reserved == nullptr)
      give_up("there are no addresses for its table of blocks: a limit (ulimit -v) or strict overcommitment", opened);
    table = {reserved, opened->block_bits};
  }
  opened->started_s = now_s();
  shared = opened;
  ::pthread_atfork(
      nullptr,
      [] {
        if (shared != nullptr) ++shared->forks;
      },
      stop_counting);
  observe(number_of_new_thread(false));
}

/// By one thread at a time, which is what a cache hierarchy takes. A handler of a signal could access them meanwhile,
/// or never come back, and so could what cancels a thread: both wait.
void access_caches(memory_access const& what) {
  if (defers_signals()) return;  // of a handler that does not wait, as that of SIGSEGV
  int cancellation = 0;          // its type: glibc 2.36 looks at nothing else when the signal for it has come
  ::pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancellation);
  defer_signals();
  for (int tries = 0; caches_taken.test_and_set(std::memory_order_acquire); ++tries) {
    if (tries % 64 == 63) ::sched_yield();
  }
  bool const counted = shared == nullptr || detector.access(self.place - 1, what, *shared);
  if (!counted) stop_counting();
  caches_taken.clear(std::memory_order_release);
  handle_deferred_signals();
  ::pthread_setcanceltype(cancellation, nullptr);
  if (!counted) say("there is no more memory for simulated caches: what follows is not counted");
}

/// The lowest number of a thread that has ended; `unobserved`.
std::uint32_t take_ended() {
  for (std::uint32_t word = 0; word < ended_threads.size(); ++word) {
    std::uint64_t bits = ended_threads[word];
    while (bits != 0 && !ended_threads[word].compare_exchange_weak(bits, bits & (bits - 1))) {
    }
    if (bits != 0) return 64 * word + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return unobserved;
}

}  // namespace

void give_back(std::uint32_t number) {
  std::uint32_t next = number + 1;
  if (number != unobserved && shared != nullptr) shared->threads.compare_exchange_strong(next, number);
}

void has_ended(std::uint32_t number) {
  if (number != unobserved) ended_threads[number / 64].fetch_or(std::uint64_t{1} << number % 64);
}

std::uint32_t number_of_new_thread(bool of_team) {
  if (shared == nullptr) return unobserved;
  if (of_team) {
    if (std::uint32_t const again = take_ended(); again != unobserved) return again;
  }
  std::uint32_t number = shared->threads.load(std::memory_order_relaxed);
  while (number < most_threads && !shared->threads.compare_exchange_weak(number, number + 1)) {
  }
  if (number < most_threads) return number;
  ++shared->unobserved;
  return unobserved;
}

void observe(std::uint32_t number) {
  if (number == unobserved || shared == nullptr) {
    self = {nobody, unobserved, nullptr};
    return;
  }
  bool const relaxed = shared->how == definition::relaxed;
  self = {relaxed ? number + 1 : nobody, number + 1, &shared->tables[0][number]};
}

counters* counted() { return shared; }
char const* file_of_counters() { return counters_file; }
double seconds_since_start() { return now_s() - shared->started_s; }

void program_started() {
  if (shared != nullptr) shared->started.store(1, std::memory_order_relaxed);
}

void other_access(std::uintptr_t address, std::size_t bytes, bool stores) {
  if (self.place == 0) observe(number_of_new_thread(false));  // not made by pthread_create
  counters* const to = shared;
  if (self.place == unobserved || to == nullptr) return;
  if (to->how == definition::accurate) return access_caches({address, bytes, stores});
  std::uint32_t& block = table.blocks[address >> table.block_bits];
  std::uint32_t const before = __atomic_load_n(&block, __ATOMIC_RELAXED);
  std::uint32_t const after = access_block(before, self.place, *self.row, to->of_thread[self.place - 1]);
  if (after != before) __atomic_store_n(&block, after, __ATOMIC_RELAXED);
}

void forget_blocks(std::uintptr_t begin, std::size_t bytes) {
  if (shared == nullptr || shared->how != definition::relaxed) return;
  std::uintptr_t const block_bytes = std::uintptr_t{1} << table.block_bits;
  std::uintptr_t const first = (begin + block_bytes - 1) >> table.block_bits;
  std::uintptr_t const last = (begin + bytes) >> table.block_bits;
  for (std::uintptr_t block = first; block < last; ++block) {
    if (table.blocks[block] != 0) table.blocks[block] = 0;
  }
}

}  // namespace ovlp::shared_memory
