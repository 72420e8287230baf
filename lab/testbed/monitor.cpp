// SPDX-License-Identifier: BSD-3-Clause
// Keeps the cores of a testbed's host awake, and measures how fast they are: ovlp-monitor BYTES LOG CORE...
//
// First, before it makes the file LOG, it touches BYTES of huge pages, if so many are reserved: a virtual machine may
// have given that memory back to its host, which finds it again at the first touch, at 10 us for 4 KiB, in the middle
// of somebody's kernel.
//
// Then its threads, one on each core, in a control group that runs when no other does, keep the cores awake: a core
// that sleeps between two budgets of a quota wakes up slow and cold, a virtual one also late. They multiply small
// matrices, again and again, and take the CPU time: on a shared host it grows with what others take of a core, of its
// caches and of its other hardware thread. And each writes cache lines that the next one reads: their latency grows
// with the distance of the cores, which changes on a virtual machine, for its host moves them. Four times a second each
// adds a line to LOG: time on the monotonic clock, core, CPU time of a product, cache-line latency (0: not known), all
// in seconds. The former is the mean of medians over half a millisecond, so that the packets and the cold caches of our
// own nodes do not count, the latter a median.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <vector>

#include <ovlp/base/host.hpp>
#include <ovlp/base/statistics.hpp>

#include "core_threads.hpp"

namespace {

using ovlp::base::median;
using ovlp::base::monotonic_s;
using ovlp::base::thread_cpu_s;
using ovlp::lab::check;

constexpr double report_s = 0.25;
constexpr double interrupted_s = 5e-6;  // away from the core for so much longer than the clocks take: others were there
constexpr std::size_t order = 48;
constexpr std::size_t samples_of_a_median = 15;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

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
class shared_lines {
 public:
  shared_lines() {
    for (std::size_t i = 0; i < count; ++i) lines_[i].next = (5 * i + 17) % count;  // passes all of them, in no stride
  }
  void write() {
    for (line& one : lines_) one.next.store(one.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
    written_.fetch_add(1, std::memory_order_release);
  }
  /// Latency of a line; 0 if nobody has written since they were read last.
  double read_s() {
    std::uint64_t const written = written_.load(std::memory_order_acquire);
    if (written == read_) return 0;
    read_ = written;
    double const began_s = monotonic_s();
    for (std::size_t i = 0, at = 0; i < count; ++i) at = lines_[at].next.load(std::memory_order_relaxed);
    return (monotonic_s() - began_s) / count;
  }

 private:
  static constexpr std::size_t count = 64, line_bytes = 64;
  struct alignas(line_bytes) line {
    std::atomic<std::size_t> next;
  };
  std::array<line, count> lines_;
  alignas(line_bytes) std::atomic<std::uint64_t> written_{0};
  alignas(line_bytes) std::uint64_t read_ = 0;  // the reader's
};

/// It writes lines that another core reads, and reads those of another one; or its own, if there is no other.
[[noreturn]] void monitor(int log, std::size_t core, shared_lines& to_other, shared_lines& from_other) {
  ovlp::lab::run_on(core, SCHED_IDLE, 0, "have the lowest priority");
  product& one = make_product();
  double reported_s = monotonic_s();
  double sum_s = 0;
  int medians = 0;
  double clocks_s = std::numeric_limits<double>::infinity();
  std::vector<double> samples_s, latencies_s;
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
    if (double const latency_s = from_other.read_s(); latency_s > 0) latencies_s.push_back(latency_s);
    if (now_s - reported_s < report_s) continue;
    ::dprintf(log, "%.3f %zu %.9f %.4g\n", now_s, core, sum_s / medians, latencies_s.empty() ? 0 : median(latencies_s));
    latencies_s.clear();
    reported_s = now_s;
    sum_s = 0;
    medians = 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "ovlp-monitor: expected bytes, a file and numbers of cores\n");
    return 2;
  }
  std::span<char* const> const arguments(argv, static_cast<std::size_t>(argc));
  touch(static_cast<std::size_t>(ovlp::lab::whole_number(argv[1], "a number of bytes", LONG_MAX)));
  std::FILE* const log = std::fopen(argv[2], "ae");
  check(log != nullptr, "write its log");
  auto const cores = arguments.subspan(3);
  std::vector<shared_lines> lines(cores.size());
  ovlp::lab::for_each_core(cores, [&](std::size_t own, std::size_t core) {
    monitor(::fileno(log), core, lines[own], lines[(own + 1) % cores.size()]);
  });
}
