// SPDX-License-Identifier: BSD-3-Clause
// Keeps the grain of CPU quotas fine, cores awake, and tells how fast they are:
//   ovlp-metronome beat CORE...
//   ovlp-metronome listen BYTES LOG CORE...
//
// The kernel charges a group for the time that its task has run when something happens on the core: a switch, or the
// tick, which comes every 4 ms on many machines. A task that is alone overdraws a quota of 1 ms by up to 3 ms, and then
// stands still for up to 40. A thread of higher priority that wakes every half millisecond and sleeps again makes
// something happen: the beat. It takes some 0.5 % of a core. Measured: docs/testbed.md.
//
// Who listens first, before it makes the file LOG, touches BYTES of huge pages, if so many are reserved: a virtual
// machine may have given that memory back to its host, which finds it again at the first touch, at 10 us for 4 KiB, in
// the middle of somebody's kernel.
//
// Then its threads, in a control group that runs when no other does, keep the cores awake: a core that sleeps between
// two grants wakes up slow and cold, a virtual one also late. They multiply small matrices, again and again, and take
// the CPU time: on a shared machine this tells how much others take of a core, of its caches and its other thread. And
// they write each other letters: how long it takes to read one tells how far apart the cores are, which on a virtual
// machine changes, for its host moves them. Four times a second they add a line to LOG: when on the monotonic clock,
// core, CPU time of a product, time of a cache line that the next core has written (0: not known), all in seconds. The
// former is the mean of medians over half a millisecond, so that the packets and the cold caches of our own nodes do
// not count, the latter a median.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/src/host.hpp"
#include "testbed/beat.hpp"
#include "tools/statistics.hpp"

namespace {

using ovlp::monotonic_s;
using ovlp::thread_cpu_s;
using ovlp::tools::median;

constexpr long second_ns = 1'000'000'000;
constexpr auto beat_ns = static_cast<long>(ovlp::testbed::beat_s * second_ns);
constexpr double line_s = 0.25;
constexpr double interrupted_s = 5e-6;  // away from the core for so much longer than the clocks take: others were there
constexpr std::size_t order = 48;
constexpr std::size_t samples_of_a_median = 15;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

void check(bool good, char const* what) {
  if (good) return;
  std::fprintf(stderr, "ovlp-metronome: cannot %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

void run_on(std::size_t core, int policy, int level, char const* what) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  check(::sched_setaffinity(0, sizeof only, &only) == 0, "run on that core");
  sched_param const priority{level};
  check(::sched_setscheduler(0, policy, &priority) == 0, what);
}

void touch(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE;
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped != MAP_FAILED) ::munmap(mapped, bytes);
}

#if defined(__x86_64__)
#define OVLP_FASTEST __attribute__((target_clones("avx2", "default")))
#else
#define OVLP_FASTEST
#endif

/// Some 15 us of what a core does best.
class product {
 public:
  product() {
    for (auto* m : {&a_, &b_, &c_}) m->fill(1e-3);
  }
  OVLP_FASTEST void compute() {
    for (std::size_t i = 0; i < order; ++i) {
      for (std::size_t k = 0; k < order; ++k) {
        double const factor = a_[i * order + k];
        for (std::size_t j = 0; j < order; ++j) c_[i * order + j] += factor * b_[k * order + j];
      }
    }
  }

 private:
  std::array<double, order * order> a_, b_, c_;
};

/// In a huge page, if there are such: else it would depend on chance which of its pages share places in the caches.
product& make_product() {
  void* const page = std::aligned_alloc(huge_page_bytes, huge_page_bytes);
  check(page != nullptr, "have two megabytes");
  ::madvise(page, huge_page_bytes, MADV_HUGEPAGE);
  return *new (page) product;
}

/// Cache lines that one core writes and another one reads.
class letter {
 public:
  letter() {
    for (std::size_t i = 0; i < lines; ++i) lines_[i].next = (5 * i + 17) % lines;  // passes all of them, in no stride
  }
  void write() {
    for (line& one : lines_) one.next.store(one.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
    written_.fetch_add(1, std::memory_order_release);
  }
  /// Time of a line; 0 if nobody has written since it was read last.
  double read_s() {
    std::uint64_t const written = written_.load(std::memory_order_acquire);
    if (written == read_) return 0;
    read_ = written;
    double const began_s = monotonic_s();
    for (std::size_t i = 0, at = 0; i < lines; ++i) at = lines_[at].next.load(std::memory_order_relaxed);
    return (monotonic_s() - began_s) / lines;
  }

 private:
  static constexpr std::size_t lines = 64, line_bytes = 64;
  struct alignas(line_bytes) line {
    std::atomic<std::size_t> next;
  };
  std::array<line, lines> lines_;
  alignas(line_bytes) std::atomic<std::uint64_t> written_{0};
  alignas(line_bytes) std::uint64_t read_ = 0;  // the reader's
};

/// Its letters go to another core, and it gets those of another one; or its own, if there is no other.
[[noreturn]] void listen(int log, std::size_t core, letter& to_other, letter& from_other) {
  run_on(core, SCHED_IDLE, 0, "have the lowest priority");
  product& one = make_product();
  double line_began_s = monotonic_s();
  double sum_s = 0;
  int medians = 0;
  double clocks_s = std::numeric_limits<double>::infinity();
  std::vector<double> samples_s, letters_s;
  for (;;) {
    double const began_s = monotonic_s();
    double const warming_s = thread_cpu_s();
    one.compute();  // what it needs comes into the cache
    double const warm_s = thread_cpu_s();
    one.compute();
    double const ended_s = thread_cpu_s();
    double const now_s = monotonic_s();
    double const away_s = now_s - began_s - (ended_s - warming_s);
    clocks_s = std::min(clocks_s, away_s);
    if (away_s >= clocks_s + interrupted_s) continue;
    samples_s.push_back(ended_s - warm_s);
    if (samples_s.size() < samples_of_a_median) continue;
    sum_s += median(samples_s);
    ++medians;
    samples_s.clear();
    to_other.write();
    if (double const read_s = from_other.read_s(); read_s > 0) letters_s.push_back(read_s);
    if (now_s - line_began_s < line_s) continue;
    ::dprintf(log, "%.3f %zu %.9f %.4g\n", now_s, core, sum_s / medians, letters_s.empty() ? 0 : median(letters_s));
    letters_s.clear();
    line_began_s = now_s;
    sum_s = 0;
    medians = 0;
  }
}

[[noreturn]] void beat(std::size_t core) {
  run_on(core, SCHED_FIFO, 1, "have a real-time priority");
  ::prctl(PR_SET_TIMERSLACK, 1);
  timespec next{};
  ::clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    next.tv_nsec += beat_ns;
    if (next.tv_nsec >= second_ns) {
      next.tv_nsec -= second_ns;
      ++next.tv_sec;
    }
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
  }
}

/// A number of the command line.
long number(char const* text, char const* what, long most) {
  char* end = nullptr;
  long const read = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || read < 0 || read > most) {
    std::fprintf(stderr, "ovlp-metronome: expected %s, got '%s'\n", what, text);
    std::exit(2);
  }
  return read;
}

/// Runs it for each core of the command line, in a thread of its own, with the thread's number and that of the core.
template <class Body>
void on_cores(std::span<char* const> cores, Body const& body) {
  std::vector<std::thread> threads;
  for (char const* core : cores) {
    threads.emplace_back(body, threads.size(),
                         static_cast<std::size_t>(number(core, "numbers of cores", CPU_SETSIZE - 1)));
  }
  for (std::thread& one : threads) one.join();
}

}  // namespace

int main(int argc, char** argv) {
  std::span<char* const> const arguments(argv, static_cast<std::size_t>(argc));
  std::string_view const what = argc > 1 ? argv[1] : "";
  if (what == "beat" && argc > 2) {
    on_cores(arguments.subspan(2), [](std::size_t, std::size_t core) { beat(core); });
  } else if (what == "listen" && argc > 4) {
    touch(static_cast<std::size_t>(number(argv[2], "a number of bytes", LONG_MAX)));
    std::FILE* const log = std::fopen(argv[3], "ae");
    check(log != nullptr, "write its log");
    auto const cores = arguments.subspan(4);
    std::vector<letter> letters(cores.size());
    on_cores(cores, [&](std::size_t own, std::size_t core) {
      listen(::fileno(log), core, letters[own], letters[(own + 1) % cores.size()]);
    });
  } else {
    std::fprintf(stderr, "ovlp-metronome: expected 'beat' and cores, or 'listen', bytes, a file and cores\n");
    return 2;
  }
}
