// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that the trace leaves out: it says so.
#include "call_lists.hpp"
#include "entries.hpp"

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
#if MPI_VERSION >= 4
// Forms that MPI 3.1 has not: persistent collective calls, and those that count with more than an int.
#define OVLP_WITH_COUNTS_LEFT_OUT(name, ...) OVLP_LEFT_OUT(name##_c)
#define OVLP_MESSAGE_LEFT_OUT(name, small) \
  OVLP_LEFT_OUT(name##_c) OVLP_LEFT_OUT(I##small##_c) OVLP_LEFT_OUT(name##_init_c)
#define OVLP_COLLECTIVE_LEFT_OUT(name, small) OVLP_LEFT_OUT(name##_init) OVLP_MESSAGE_LEFT_OUT(name, small)
OVLP_CALLS_WITH_COUNTS_LEFT_OUT(OVLP_WITH_COUNTS_LEFT_OUT)
OVLP_MESSAGE_CALLS(OVLP_MESSAGE_LEFT_OUT)
OVLP_COLLECTIVE_CALLS(OVLP_COLLECTIVE_LEFT_OUT)
OVLP_COLLECTIVE_LEFT_OUT(Alltoallw, alltoallw)
OVLP_COLLECTIVE_LEFT_OUT(Neighbor_alltoallw, neighbor_alltoallw)
OVLP_CALLS_OF_MPI_4_LEFT_OUT(OVLP_LEFT_OUT)
#endif
