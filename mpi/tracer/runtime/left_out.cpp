// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that the trace leaves out: it says so.
#include "entries.hpp"
#include "left_out_calls.hpp"

namespace ovlp::mpi::tracer {
namespace {

template <char const* Name>
constexpr auto leaves_out = [](rank_trace& trace, call_site const&, auto...) { trace.left_out(Name); };

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)

#define OVLP_LEFT_OUT(name, ...)                              \
  static constexpr char ovlp_name_of_##name[] = "MPI_" #name; \
  OVLP_BEFORE(name, leaves_out<ovlp_name_of_##name>)
OVLP_CALLS_LEFT_OUT(OVLP_LEFT_OUT)
OVLP_CALLS_OF_MPI_4_LEFT_OUT(OVLP_LEFT_OUT)
