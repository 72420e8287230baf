// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "shadow.hpp"

namespace ovlp::mpi::tracer {
namespace {

// There is one MPI in a process, and so one of these. Threads of the program take turns: who is in a call has them.
std::unique_ptr<rank_trace> the_trace;
raw::moment computed;  // at the end of the last call: clocks of computation
double ended_s = 0;    // when that was
bool several_threads = false;
std::atomic<bool> in_a_call = false;

// Of each thread.
thread_local int depth = 0;
thread_local void const* fortran_caller = nullptr;
thread_local double computing_since_s = 0;  // CPU time

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

[[noreturn]] void refuse_concurrent_calls() {
  std::fputs(
      "ovlp: two threads are in MPI at once: expected one at a time, for a traced program gets "
      "MPI_THREAD_SERIALIZED at most\n",
      stderr);
  std::abort();
}

/// A process that MPI has started for another one is in a world of its own, of which there is no trace.
bool was_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

}  // namespace

rank_trace* traced() { return the_trace.get(); }

void begin_trace() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  several_threads = level != MPI_THREAD_SINGLE;
  char const* const folder = std::getenv("OVLP_TRACE_FOLDER");  // set by ovlp trace
  if (folder == nullptr || the_trace || was_spawned()) return;  // Fortran's MPI_Init may call C's
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  the_trace = std::make_unique<rank_trace>(std::string(folder) + "/rank-" + std::to_string(rank) + ".raw", computed);
}

int granted_thread_level(int required, int provided) {
  if (provided <= most_threads && required <= most_threads) return provided;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (required > most_threads && rank == 0)
    std::fputs("ovlp: MPI_THREAD_MULTIPLE was asked for: a traced program gets MPI_THREAD_SERIALIZED\n", stderr);
  return std::min(provided, most_threads);
}

void end_trace() {
  if (!the_trace) return;
  the_trace->end(computed);
  the_trace.reset();
}

call::call(void const* from) : outermost_(depth++ == 0), site_{} {
  if (!outermost_) return;
  if (in_a_call.exchange(true, std::memory_order_acquire) && the_trace) refuse_concurrent_calls();
  // The thread may have computed while others were in MPI.
  computed.compute_s += std::clamp(seconds_of(CLOCK_THREAD_CPUTIME_ID) - computing_since_s, 0.0,
                                   std::max(0.0, seconds_of(CLOCK_MONOTONIC) - ended_s));
  computed.clock = std::max(computed.clock, memory.clock);  // which threads may have set back
  site_ = {computed, fortran_caller != nullptr ? fortran_caller : from};
}

call::~call() {
  if (--depth != 0) return;
  if (!several_threads) memory.clock = computed.clock;  // operations of the program may have been called in MPI
  ended_s = seconds_of(CLOCK_MONOTONIC);
  computing_since_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  in_a_call.store(false, std::memory_order_release);
}

fortran_call::fortran_call(void const* from) {
  if (depth == 0) fortran_caller = from;
}
fortran_call::~fortran_call() {
  if (depth == 0) fortran_caller = nullptr;
}

}  // namespace ovlp::mpi::tracer
