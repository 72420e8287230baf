// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that begin and end it, make communicators, and free what the trace knows.
#include <algorithm>

#include <ovlp/instrument/entry.hpp>

#include "call.hpp"

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

#define OVLP_LIST(...) __VA_ARGS__
// A call of all members of `from` that makes a communicator.
#define OVLP_MAKES_COMMUNICATOR(name, parameters, arguments)                              \
  OVLP_ENTRY int MPI_##name(MPI_Comm from, OVLP_LIST parameters MPI_Comm* made) {         \
    call const here(__builtin_return_address(0));                                         \
    int const result = PMPI_##name(from, OVLP_LIST arguments made);                       \
    if (auto* const trace = here.trace()) trace->known_communicators().made(*made, from); \
    return result;                                                                        \
  }
OVLP_MAKES_COMMUNICATOR(Comm_dup, (), ())
OVLP_MAKES_COMMUNICATOR(Comm_dup_with_info, (MPI_Info info, ), (info, ))
OVLP_MAKES_COMMUNICATOR(Comm_split, (int color, int key, ), (color, key, ))
OVLP_MAKES_COMMUNICATOR(Comm_split_type, (int kind, int key, MPI_Info info, ), (kind, key, info, ))
OVLP_MAKES_COMMUNICATOR(Comm_create, (MPI_Group group, ), (group, ))
OVLP_MAKES_COMMUNICATOR(Intercomm_merge, (int high, ), (high, ))
OVLP_MAKES_COMMUNICATOR(Cart_create, (int n, int const* sizes, int const* periods, int reorder, ),
                        (n, sizes, periods, reorder, ))
OVLP_MAKES_COMMUNICATOR(Cart_sub, (int const* remain, ), (remain, ))
OVLP_MAKES_COMMUNICATOR(Graph_create, (int n, int const* index, int const* edges, int reorder, ),
                        (n, index, edges, reorder, ))
OVLP_MAKES_COMMUNICATOR(Dist_graph_create,
                        (int n, int const* sources, int const* degrees, int const* destinations, int const* weights,
                         MPI_Info info, int reorder, ),
                        (n, sources, degrees, destinations, weights, info, reorder, ))
OVLP_MAKES_COMMUNICATOR(Dist_graph_create_adjacent,
                        (int n, int const* sources, int const* from_weights, int m, int const* destinations,
                         int const* weights, MPI_Info info, int reorder, ),
                        (n, sources, from_weights, m, destinations, weights, info, reorder, ))

OVLP_ENTRY int MPI_Comm_idup(MPI_Comm from, MPI_Comm* made, MPI_Request* request) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Comm_idup(from, made, request);
  if (auto* const trace = here.trace()) trace->known_communicators().made_later(*made, from);
  return result;
}

#if MPI_VERSION >= 4
OVLP_ENTRY int MPI_Comm_idup_with_info(MPI_Comm from, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Comm_idup_with_info(from, info, made, request);
  if (auto* const trace = here.trace()) trace->known_communicators().made_later(*made, from);
  return result;
}
#endif

OVLP_ENTRY int MPI_Comm_create_group(MPI_Comm from, MPI_Group group, int tag, MPI_Comm* made) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Comm_create_group(from, group, tag, made);
  if (auto* const trace = here.trace()) trace->known_communicators().made_by_members(*made, tag);
  return result;
}

OVLP_ENTRY int MPI_Intercomm_create(MPI_Comm from, int leader, MPI_Comm peers, int remote_leader, int tag,
                                    MPI_Comm* made) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Intercomm_create(from, leader, peers, remote_leader, tag, made);
  if (auto* const trace = here.trace()) trace->known_communicators().made_by_members(*made, tag);
  return result;
}

OVLP_ENTRY int MPI_Comm_free(MPI_Comm* freed) {
  call const here(__builtin_return_address(0));
  if (auto* const trace = here.trace()) trace->known_communicators().forget(*freed);
  return PMPI_Comm_free(freed);
}

OVLP_ENTRY int MPI_Comm_disconnect(MPI_Comm* freed) {
  call const here(__builtin_return_address(0));
  if (auto* const trace = here.trace()) trace->known_communicators().forget(*freed);
  return PMPI_Comm_disconnect(freed);
}

OVLP_ENTRY int MPI_Type_free(MPI_Datatype* freed) {
  call const here(__builtin_return_address(0));
  if (auto* const trace = here.trace()) trace->known_types().forget(*freed);
  return PMPI_Type_free(freed);
}
