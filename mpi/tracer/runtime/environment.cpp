// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that begin and end it, make communicators, and free what the trace knows.
#include <algorithm>

#include "entries.hpp"

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)

OVLP_ENTRY int MPI_Init(int* argc, char*** argv) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Init(argc, argv);
  begin_trace();
  return result;
}

OVLP_ENTRY int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Init_thread(argc, argv, std::min(required, most_threads), provided);
  *provided = granted_thread_level(required, *provided);
  begin_trace();
  return result;
}

OVLP_ENTRY int MPI_Finalize() {
  call const here(__builtin_return_address(0));
  end_trace();
  return PMPI_Finalize();
}

namespace ovlp::mpi::tracer {
namespace {

// Of calls that make a communicator, the first argument being the one that it comes from.
constexpr auto makes = [](rank_trace& trace, call_site const&, MPI_Comm from, auto... arguments) {
  trace.known_communicators().made(*from_end<0>(arguments...), from);
};
constexpr auto makes_later = [](rank_trace& trace, call_site const&, MPI_Comm from, auto... arguments) {
  trace.known_communicators().made_later(*from_end<1>(arguments...), from);
};
constexpr auto makes_by_members = [](rank_trace& trace, call_site const&, auto... arguments) {
  trace.known_communicators().made_by_members(*from_end<0>(arguments...), from_end<1>(arguments...));
};
constexpr auto frees_communicator = [](rank_trace& trace, call_site const&, MPI_Comm const* freed) {
  trace.known_communicators().forget(*freed);
};
constexpr auto frees_type = [](rank_trace& trace, call_site const&, MPI_Datatype const* freed) {
  trace.known_types().forget(*freed);
};

}  // namespace
}  // namespace ovlp::mpi::tracer

OVLP_AFTER(Comm_dup, makes)
OVLP_AFTER(Comm_dup_with_info, makes)
OVLP_AFTER(Comm_split, makes)
OVLP_AFTER(Comm_split_type, makes)
OVLP_AFTER(Comm_create, makes)
OVLP_AFTER(Intercomm_merge, makes)
OVLP_AFTER(Cart_create, makes)
OVLP_AFTER(Cart_sub, makes)
OVLP_AFTER(Graph_create, makes)
OVLP_AFTER(Dist_graph_create, makes)
OVLP_AFTER(Dist_graph_create_adjacent, makes)
OVLP_AFTER(Comm_idup, makes_later)
#if MPI_VERSION >= 4
OVLP_AFTER(Comm_idup_with_info, makes_later)
#endif
OVLP_AFTER(Comm_create_group, makes_by_members)
OVLP_AFTER(Intercomm_create, makes_by_members)
OVLP_BEFORE(Comm_free, frees_communicator)
OVLP_BEFORE(Comm_disconnect, frees_communicator)
OVLP_BEFORE(Type_free, frees_type)
