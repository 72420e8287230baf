// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <time.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "shadow.hpp"

namespace ovlp::mpi::tracer {
namespace {

// There is one MPI in a process, and so one of these.
std::unique_ptr<rank_trace> the_trace;
int depth = 0;
void const* fortran_caller = nullptr;
raw::moment now;               // at the end of the last call: clocks of computation
double computing_since_s = 0;  // CPU time

double cpu_time_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

rank_trace* traced() { return the_trace.get(); }

void begin_trace() {
  char const* const folder = std::getenv("OVLP_TRACE_FOLDER");  // set by ovlp trace
  if (folder == nullptr || the_trace) return;                   // Fortran's MPI_Init may call C's
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  the_trace = std::make_unique<rank_trace>(std::string(folder) + "/rank-" + std::to_string(rank) + ".raw", now);
}

void end_trace() {
  if (!the_trace) return;
  the_trace->end(now);
  the_trace.reset();
}

call::call(void const* from) : outermost_(depth++ == 0), site_{} {
  if (!outermost_) return;
  now.compute_s += cpu_time_s() - computing_since_s;
  now.clock = memory.clock;
  site_ = {now, fortran_caller != nullptr ? fortran_caller : from};
}

call::~call() {
  if (--depth != 0) return;
  memory.clock = now.clock;  // operations of the program may have been called in MPI
  computing_since_s = cpu_time_s();
}

fortran_call::fortran_call(void const* from) {
  if (depth == 0) fortran_caller = from;
}
fortran_call::~fortran_call() {
  if (depth == 0) fortran_caller = nullptr;
}

}  // namespace ovlp::mpi::tracer
