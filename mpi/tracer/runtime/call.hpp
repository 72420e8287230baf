// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rank_trace.hpp"

namespace ovlp::mpi::tracer {

/// The trace of this process; none before MPI_Init, after MPI_Finalize, and when nobody asks for one.
rank_trace* traced();
void begin_trace();
/// The trace is written by one thread at a time.
inline constexpr int most_threads = MPI_THREAD_SERIALIZED;
/// What MPI_Init_thread says it has provided, where MPI was asked for no more than that.
int granted_thread_level(int required, int provided);
void end_trace();

/// Lives as long as a call of MPI by the program. Meanwhile the rank does not compute: its clocks stand still. Calls
/// that MPI makes of itself are none. What the rank has computed since the last call of any of its threads is the CPU
/// time of the calling thread since then.
/// Errors: of two threads in MPI at once a line on standard error, and the process ends.
class call {
 public:
  /// `from`: where the program calls.
  explicit call(void const* from);
  call(call const&) = delete;
  call& operator=(call const&) = delete;
  ~call();

  /// The trace, if the call is to be written to it.
  rank_trace* trace() const { return outermost_ ? traced() : nullptr; }
  call_site const& site() const { return site_; }

 private:
  bool outermost_;
  call_site site_;
};

/// Calls of Fortran come through functions of ours: the call in the program is the one that called those.
class fortran_call {
 public:
  explicit fortran_call(void const* from);
  fortran_call(fortran_call const&) = delete;
  fortran_call& operator=(fortran_call const&) = delete;
  ~fortran_call();
};

}  // namespace ovlp::mpi::tracer
