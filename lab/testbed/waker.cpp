// SPDX-License-Identifier: BSD-3-Clause
// Keeps the cores of a testbed's host awake: ovlp-waker BYTES FILE CORE...
//
// First it touches BYTES of huge pages, if so many are reserved: a virtual machine may have given that memory back to
// its host, which finds it again at the first touch, at 10 us for 4 KiB, in the middle of somebody's kernel. Then it
// makes FILE.
//
// Its threads, one on each core, in a control group that runs when no other does, never sleep: a core that sleeps
// between two budgets of a quota wakes up slow and cold, a virtual one also late. Measured: docs/lab/testbed.md.
#include <sched.h>
#include <sys/mman.h>

#include <climits>
#include <cstddef>
#include <cstdio>
#include <span>

#include "core_threads.hpp"

namespace {

using ovlp::lab::check;

void touch(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE;
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped != MAP_FAILED) ::munmap(mapped, bytes);
}

[[noreturn]] void stay_awake(std::size_t core) {
  ovlp::lab::run_on(core, SCHED_IDLE, 0, "have the lowest priority");
  // No pause: a host takes a virtual core away that does nothing else.
  for (std::size_t volatile turns = 0;;) turns = turns + 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "ovlp-waker: expected bytes, a file and numbers of cores\n");
    return 2;
  }
  std::span<char* const> const arguments(argv, static_cast<std::size_t>(argc));
  touch(static_cast<std::size_t>(ovlp::lab::whole_number(argv[1], "a number of bytes", LONG_MAX)));
  std::FILE* const touched = std::fopen(argv[2], "ae");
  check(touched != nullptr && std::fclose(touched) == 0, "write its file");
  ovlp::lab::for_each_core(arguments.subspan(3), [](std::size_t core) { stay_awake(core); });
}
