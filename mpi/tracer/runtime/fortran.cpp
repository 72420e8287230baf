// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI as Fortran's: the C ones of this library, with arguments that are converted by their types. MPI's
// own Fortran layer does not call the C functions by their names, or not all.
//
// Names end in _, default integers have MPI_Fint's size, and .true. is 1: as gfortran's. Module mpi_f08 calls functions
// of its own, whose names end in _f08_ and whose last argument may be missing; handles and statuses are as large there.
// MPICH's have others, ending in _f08ts_, for calls with buffers, which then call the C functions by their names.
#include <algorithm>
#include <array>
#include <deque>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include <ovlp/instrument/entry.hpp>

#include "call.hpp"
#include "left_out_calls.hpp"
#include "neighbours.hpp"

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses, bugprone-branch-clone): names are MPI's, whose
// handles may be of one type
#if defined(OPEN_MPI)
// Common blocks whose addresses mean something.
extern "C" {
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_unweighted_ __attribute__((weak));
extern int mpi_fortran_weights_empty_ __attribute__((weak));
}
#else
extern "C" {
extern void* MPIR_F_MPI_BOTTOM __attribute__((weak));
extern void* MPIR_F_MPI_IN_PLACE __attribute__((weak));
extern void* MPIR_F_MPI_UNWEIGHTED __attribute__((weak));
extern void* MPIR_F_MPI_WEIGHTS_EMPTY __attribute__((weak));
// Of module mpi_f08.
extern int __mpi_f08_link_constants_MOD_mpi_unweighted __attribute__((weak));
extern int __mpi_f08_link_constants_MOD_mpi_weights_empty __attribute__((weak));
}
#endif
extern "C" {
void pmpi_init_(MPI_Fint* error) __attribute__((weak));
void pmpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) __attribute__((weak));
void pmpi_finalize_(MPI_Fint* error) __attribute__((weak));
}

namespace ovlp::mpi::tracer {
namespace {

void* c_buffer(void* of_fortran) {
#if defined(OPEN_MPI)
  if (of_fortran == &mpi_fortran_bottom_) return MPI_BOTTOM;
  if (of_fortran == &mpi_fortran_in_place_) return MPI_IN_PLACE;
#else
  if (&MPIR_F_MPI_BOTTOM != nullptr && of_fortran == MPIR_F_MPI_BOTTOM) return MPI_BOTTOM;
  if (&MPIR_F_MPI_IN_PLACE != nullptr && of_fortran == MPIR_F_MPI_IN_PLACE) return MPI_IN_PLACE;
#endif
  return of_fortran;
}

/// Weights of edges, among other arrays of numbers.
MPI_Fint* c_numbers(MPI_Fint* of_fortran) {
#if defined(OPEN_MPI)
  if (of_fortran == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  if (of_fortran == &mpi_fortran_weights_empty_) return MPI_WEIGHTS_EMPTY;
#else
  if ((&MPIR_F_MPI_UNWEIGHTED != nullptr && of_fortran == MPIR_F_MPI_UNWEIGHTED) ||
      of_fortran == &__mpi_f08_link_constants_MOD_mpi_unweighted)
    return MPI_UNWEIGHTED;
  if ((&MPIR_F_MPI_WEIGHTS_EMPTY != nullptr && of_fortran == MPIR_F_MPI_WEIGHTS_EMPTY) ||
      of_fortran == &__mpi_f08_link_constants_MOD_mpi_weights_empty)
    return MPI_WEIGHTS_EMPTY;
#endif
  return of_fortran;
}

bool is_wanted(void const* status) {
#if !defined(OPEN_MPI)
  if (status == MPI_F08_STATUS_IGNORE || status == MPI_F08_STATUSES_IGNORE) return false;
#endif
  return status != MPI_F_STATUS_IGNORE && status != MPI_F_STATUSES_IGNORE;
}

/// Where a function puts its result.
void set(void* result, int code) {
  if (result != nullptr) *static_cast<MPI_Fint*>(result) = code;
}

// Handles are numbers in Fortran. In MPICH they are in C, too, and then the same type.
template <class Handle>
Handle from_number(MPI_Fint number) {
  if constexpr (std::is_same_v<Handle, MPI_Fint>) return number;
  else if constexpr (std::is_same_v<Handle, MPI_Datatype>) return PMPI_Type_f2c(number);
  else if constexpr (std::is_same_v<Handle, MPI_Comm>) return PMPI_Comm_f2c(number);
  else if constexpr (std::is_same_v<Handle, MPI_Request>) return PMPI_Request_f2c(number);
  else if constexpr (std::is_same_v<Handle, MPI_Op>) return PMPI_Op_f2c(number);
  else if constexpr (std::is_same_v<Handle, MPI_Group>) return PMPI_Group_f2c(number);
  else if constexpr (std::is_same_v<Handle, MPI_Message>) return PMPI_Message_f2c(number);
  else return PMPI_Info_f2c(number);
}
template <class Handle>
MPI_Fint number_of(Handle handle) {
  if constexpr (std::is_same_v<Handle, MPI_Fint>) return handle;
  else if constexpr (std::is_same_v<Handle, MPI_Datatype>) return PMPI_Type_c2f(handle);
  else if constexpr (std::is_same_v<Handle, MPI_Comm>) return PMPI_Comm_c2f(handle);
  else if constexpr (std::is_same_v<Handle, MPI_Message>) return PMPI_Message_c2f(handle);
  else return PMPI_Request_c2f(handle);
}

/// Numbers and handles; in Open MPI handles are pointers.
template <class Parameter>
constexpr bool is_value = std::is_same_v<Parameter, MPI_Fint> || std::is_same_v<Parameter, MPI_Datatype> ||
                          std::is_same_v<Parameter, MPI_Comm> || std::is_same_v<Parameter, MPI_Op> ||
                          std::is_same_v<Parameter, MPI_Group> || std::is_same_v<Parameter, MPI_Info>;

/// An argument: what C gets of it, and what goes back.
template <class Parameter, bool IsValue = is_value<Parameter>>
class argument {
 public:
  explicit argument(void* at) : value_(from_number<Parameter>(*static_cast<MPI_Fint*>(at))) {}
  Parameter get() const { return value_; }

 private:
  Parameter value_;
};
template <class Element>
class argument<Element*, false> {
  static constexpr bool is_buffer = std::is_void_v<Element>;  // const or not
  static constexpr bool is_numbers = std::is_same_v<std::remove_const_t<Element>, MPI_Fint>;
  static constexpr bool is_status = std::is_same_v<Element, MPI_Status>;

 public:
  explicit argument(void* at) : at_(static_cast<MPI_Fint*>(at)) {
    if constexpr (!is_buffer && !is_numbers && !is_status) value_ = from_number<Element>(*at_);
  }
  argument(argument const&) = delete;
  argument& operator=(argument const&) = delete;
  ~argument() {
    if constexpr (is_status) {
      if (is_wanted(at_)) PMPI_Status_c2f(&value_, at_);
    } else if constexpr (!is_buffer && !is_numbers) {
      *at_ = number_of(value_);
    }
  }
  Element* get() {
    if constexpr (is_buffer) return c_buffer(at_);
    else if constexpr (is_numbers) return c_numbers(at_);
    else return &value_;
  }

 private:
  using value = std::conditional_t<is_buffer || is_numbers, char, Element>;
  MPI_Fint* at_;
  value value_{};
};

/// Calls the C function with these arguments, of which the last is for its result.
template <class... Parameters, std::size_t... Places>
void call_c(int (*function)(Parameters...), std::array<void*, sizeof...(Parameters) + 1> const& arguments,
            std::index_sequence<Places...>) {
  set(arguments.back(), function(argument<Parameters>(arguments[Places]).get()...));
}
template <class... Parameters>
void call_c(void const* from, int (*function)(Parameters...),
            std::array<void*, sizeof...(Parameters) + 1> const& arguments) {
  fortran_call const here(from);
  call_c(function, arguments, std::index_sequence_for<Parameters...>());
}

// Of the calls that take several requests.

class request_array {
 public:
  request_array(MPI_Fint const* count, MPI_Fint* numbers)
      : numbers_(numbers), handles_(static_cast<std::size_t>(*count)) {
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_[i] = from_number<MPI_Request>(numbers[i]);
  }
  request_array(request_array const&) = delete;
  request_array& operator=(request_array const&) = delete;
  ~request_array() {
    for (std::size_t i = 0; i < handles_.size(); ++i) numbers_[i] = number_of(handles_[i]);
  }
  int count() const { return static_cast<int>(handles_.size()); }
  MPI_Request* get() { return handles_.data(); }

 private:
  MPI_Fint* numbers_;
  std::vector<MPI_Request> handles_;
};

class status_array {
 public:
  status_array(MPI_Fint const* count, MPI_Fint* of_fortran)
      : of_fortran_(of_fortran), statuses_(static_cast<std::size_t>(*count)) {}
  MPI_Status* get() { return statuses_.data(); }
  void give_back(int count) const {
    constexpr std::size_t length = sizeof(MPI_Status) / sizeof(MPI_Fint);  // in Fortran, too
    if (!is_wanted(of_fortran_) || count == MPI_UNDEFINED) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      PMPI_Status_c2f(&statuses_[i], of_fortran_ + i * length);
  }

 private:
  MPI_Fint* of_fortran_;
  std::vector<MPI_Status> statuses_;
};

/// Places begin at 1.
void count_from_one(MPI_Fint* places, MPI_Fint count) {
  for (MPI_Fint i = 0; i < count; ++i) {
    if (places[i] != MPI_UNDEFINED) ++places[i];
  }
}

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)

#define OVLP_HERE fortran_call const here(__builtin_return_address(0))
/// The same function for module mpi_f08.
#define OVLP_ALSO_F08(name) \
  OVLP_ENTRY __attribute__((alias("mpi_" #name "_"))) decltype(mpi_##name##_) mpi_##name##_f08_;

OVLP_ENTRY void mpi_init_(MPI_Fint* error) {
  OVLP_HERE;
  call const inside(__builtin_return_address(0));
  pmpi_init_(error);
  begin_trace();
}
OVLP_ENTRY void mpi_init_f08_(MPI_Fint* error) {
  OVLP_HERE;
  set(error, MPI_Init(nullptr, nullptr));
}
OVLP_ENTRY void mpi_init_thread_f08_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  OVLP_HERE;
  set(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
OVLP_ENTRY void mpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  OVLP_HERE;
  call const inside(__builtin_return_address(0));
  MPI_Fint at_most = std::min<MPI_Fint>(*required, most_threads);
  pmpi_init_thread_(&at_most, provided, error);
  *provided = granted_thread_level(*required, *provided);
  begin_trace();
}
OVLP_ENTRY void mpi_finalize_(MPI_Fint* error) {
  OVLP_HERE;
  call const inside(__builtin_return_address(0));
  end_trace();
  pmpi_finalize_(error);
}
OVLP_ENTRY void mpi_finalize_f08_(MPI_Fint* error) {
  OVLP_HERE;
  set(error, MPI_Finalize());
}

OVLP_ENTRY void mpi_startall_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* error) {
  OVLP_HERE;
  request_array all(count, requests);
  set(error, MPI_Startall(all.count(), all.get()));
}
OVLP_ALSO_F08(startall)
OVLP_ENTRY void mpi_waitall_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error) {
  OVLP_HERE;
  request_array all(count, requests);
  status_array of(count, statuses);
  set(error, MPI_Waitall(all.count(), all.get(), of.get()));
  of.give_back(all.count());
}
OVLP_ALSO_F08(waitall)
OVLP_ENTRY void mpi_testall_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* flag, MPI_Fint* statuses, MPI_Fint* error) {
  OVLP_HERE;
  request_array all(count, requests);
  status_array of(count, statuses);
  set(error, MPI_Testall(all.count(), all.get(), flag, of.get()));
  if (*flag != 0) of.give_back(all.count());
}
OVLP_ALSO_F08(testall)
OVLP_ENTRY void mpi_waitany_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* place, MPI_Fint* status, MPI_Fint* error) {
  OVLP_HERE;
  request_array all(count, requests);
  argument<MPI_Status*> of(status);
  set(error, MPI_Waitany(all.count(), all.get(), place, of.get()));
  count_from_one(place, 1);
}
OVLP_ALSO_F08(waitany)
OVLP_ENTRY void mpi_testany_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* place, MPI_Fint* flag, MPI_Fint* status,
                             MPI_Fint* error) {
  OVLP_HERE;
  request_array all(count, requests);
  argument<MPI_Status*> of(status);
  set(error, MPI_Testany(all.count(), all.get(), place, flag, of.get()));
  if (*flag != 0) count_from_one(place, 1);
}
OVLP_ALSO_F08(testany)
static MPI_Fint some(decltype(MPI_Waitsome)* call, MPI_Fint* count, MPI_Fint* requests, MPI_Fint* ended,
                     MPI_Fint* places, MPI_Fint* statuses) {
  request_array all(count, requests);
  status_array of(count, statuses);
  MPI_Fint const error = call(all.count(), all.get(), ended, places, of.get());
  of.give_back(*ended);
  count_from_one(places, *ended);
  return error;
}
OVLP_ENTRY void mpi_waitsome_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* ended, MPI_Fint* places,
                              MPI_Fint* statuses, MPI_Fint* error) {
  OVLP_HERE;
  set(error, some(MPI_Waitsome, count, requests, ended, places, statuses));
}
OVLP_ALSO_F08(waitsome)
OVLP_ENTRY void mpi_testsome_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* ended, MPI_Fint* places,
                              MPI_Fint* statuses, MPI_Fint* error) {
  OVLP_HERE;
  set(error, some(MPI_Testsome, count, requests, ended, places, statuses));
}
OVLP_ALSO_F08(testsome)

// Of all others the arguments are converted one by one: OVLP_FORTRAN(name, C's name, its number of parameters).
#define OVLP_PARAMETERS_1 void* a
#define OVLP_PARAMETERS_2 OVLP_PARAMETERS_1, void* b
#define OVLP_PARAMETERS_3 OVLP_PARAMETERS_2, void* c
#define OVLP_PARAMETERS_4 OVLP_PARAMETERS_3, void* d
#define OVLP_PARAMETERS_5 OVLP_PARAMETERS_4, void* e
#define OVLP_PARAMETERS_6 OVLP_PARAMETERS_5, void* f
#define OVLP_PARAMETERS_7 OVLP_PARAMETERS_6, void* g
#define OVLP_PARAMETERS_8 OVLP_PARAMETERS_7, void* h
#define OVLP_PARAMETERS_9 OVLP_PARAMETERS_8, void* i
#define OVLP_PARAMETERS_10 OVLP_PARAMETERS_9, void* j
#define OVLP_PARAMETERS_11 OVLP_PARAMETERS_10, void* k
#define OVLP_PARAMETERS_12 OVLP_PARAMETERS_11, void* l
#define OVLP_PARAMETERS_13 OVLP_PARAMETERS_12, void* m
#define OVLP_ARGUMENTS_1 a
#define OVLP_ARGUMENTS_2 OVLP_ARGUMENTS_1, b
#define OVLP_ARGUMENTS_3 OVLP_ARGUMENTS_2, c
#define OVLP_ARGUMENTS_4 OVLP_ARGUMENTS_3, d
#define OVLP_ARGUMENTS_5 OVLP_ARGUMENTS_4, e
#define OVLP_ARGUMENTS_6 OVLP_ARGUMENTS_5, f
#define OVLP_ARGUMENTS_7 OVLP_ARGUMENTS_6, g
#define OVLP_ARGUMENTS_8 OVLP_ARGUMENTS_7, h
#define OVLP_ARGUMENTS_9 OVLP_ARGUMENTS_8, i
#define OVLP_ARGUMENTS_10 OVLP_ARGUMENTS_9, j
#define OVLP_ARGUMENTS_11 OVLP_ARGUMENTS_10, k
#define OVLP_ARGUMENTS_12 OVLP_ARGUMENTS_11, l
#define OVLP_ARGUMENTS_13 OVLP_ARGUMENTS_12, m
#define OVLP_FORTRAN(name, c_name, count)                                               \
  OVLP_ENTRY void mpi_##name##_(OVLP_PARAMETERS_##count, void* error) {                 \
    call_c(__builtin_return_address(0), MPI_##c_name, {OVLP_ARGUMENTS_##count, error}); \
  }                                                                                     \
  OVLP_ALSO_F08(name)

OVLP_FORTRAN(send, Send, 6)
OVLP_FORTRAN(ssend, Ssend, 6)
OVLP_FORTRAN(bsend, Bsend, 6)
OVLP_FORTRAN(rsend, Rsend, 6)
OVLP_FORTRAN(isend, Isend, 7)
OVLP_FORTRAN(issend, Issend, 7)
OVLP_FORTRAN(ibsend, Ibsend, 7)
OVLP_FORTRAN(irsend, Irsend, 7)
OVLP_FORTRAN(send_init, Send_init, 7)
OVLP_FORTRAN(ssend_init, Ssend_init, 7)
OVLP_FORTRAN(bsend_init, Bsend_init, 7)
OVLP_FORTRAN(rsend_init, Rsend_init, 7)
OVLP_FORTRAN(recv, Recv, 7)
OVLP_FORTRAN(irecv, Irecv, 7)
OVLP_FORTRAN(recv_init, Recv_init, 7)
OVLP_FORTRAN(sendrecv, Sendrecv, 12)
OVLP_FORTRAN(sendrecv_replace, Sendrecv_replace, 9)
OVLP_FORTRAN(start, Start, 1)
OVLP_FORTRAN(request_free, Request_free, 1)
OVLP_FORTRAN(wait, Wait, 2)
OVLP_FORTRAN(test, Test, 3)
OVLP_FORTRAN(probe, Probe, 4)
OVLP_FORTRAN(iprobe, Iprobe, 5)
OVLP_FORTRAN(mprobe, Mprobe, 5)
OVLP_FORTRAN(improbe, Improbe, 6)
OVLP_FORTRAN(mrecv, Mrecv, 5)
OVLP_FORTRAN(imrecv, Imrecv, 5)

OVLP_FORTRAN(barrier, Barrier, 1)
OVLP_FORTRAN(bcast, Bcast, 5)
OVLP_FORTRAN(gather, Gather, 8)
OVLP_FORTRAN(gatherv, Gatherv, 9)
OVLP_FORTRAN(scatter, Scatter, 8)
OVLP_FORTRAN(scatterv, Scatterv, 9)
OVLP_FORTRAN(allgather, Allgather, 7)
OVLP_FORTRAN(allgatherv, Allgatherv, 8)
OVLP_FORTRAN(alltoall, Alltoall, 7)
OVLP_FORTRAN(alltoallv, Alltoallv, 9)
OVLP_FORTRAN(reduce, Reduce, 7)
OVLP_FORTRAN(allreduce, Allreduce, 6)
OVLP_FORTRAN(scan, Scan, 6)
OVLP_FORTRAN(exscan, Exscan, 6)
OVLP_FORTRAN(reduce_scatter, Reduce_scatter, 6)
OVLP_FORTRAN(reduce_scatter_block, Reduce_scatter_block, 6)
OVLP_FORTRAN(ibarrier, Ibarrier, 2)
OVLP_FORTRAN(ibcast, Ibcast, 6)
OVLP_FORTRAN(igather, Igather, 9)
OVLP_FORTRAN(igatherv, Igatherv, 10)
OVLP_FORTRAN(iscatter, Iscatter, 9)
OVLP_FORTRAN(iscatterv, Iscatterv, 10)
OVLP_FORTRAN(iallgather, Iallgather, 8)
OVLP_FORTRAN(iallgatherv, Iallgatherv, 9)
OVLP_FORTRAN(ialltoall, Ialltoall, 8)
OVLP_FORTRAN(ialltoallv, Ialltoallv, 10)
OVLP_FORTRAN(ireduce, Ireduce, 8)
OVLP_FORTRAN(iallreduce, Iallreduce, 7)
OVLP_FORTRAN(iscan, Iscan, 7)
OVLP_FORTRAN(iexscan, Iexscan, 7)
OVLP_FORTRAN(ireduce_scatter, Ireduce_scatter, 7)
OVLP_FORTRAN(ireduce_scatter_block, Ireduce_scatter_block, 7)
OVLP_FORTRAN(neighbor_allgather, Neighbor_allgather, 7)
OVLP_FORTRAN(neighbor_allgatherv, Neighbor_allgatherv, 8)
OVLP_FORTRAN(neighbor_alltoall, Neighbor_alltoall, 7)
OVLP_FORTRAN(neighbor_alltoallv, Neighbor_alltoallv, 9)
OVLP_FORTRAN(ineighbor_allgather, Ineighbor_allgather, 8)
OVLP_FORTRAN(ineighbor_allgatherv, Ineighbor_allgatherv, 9)
OVLP_FORTRAN(ineighbor_alltoall, Ineighbor_alltoall, 8)
OVLP_FORTRAN(ineighbor_alltoallv, Ineighbor_alltoallv, 10)

OVLP_FORTRAN(comm_dup, Comm_dup, 2)
OVLP_FORTRAN(comm_idup, Comm_idup, 3)
OVLP_FORTRAN(comm_dup_with_info, Comm_dup_with_info, 3)
OVLP_FORTRAN(comm_split, Comm_split, 4)
OVLP_FORTRAN(comm_split_type, Comm_split_type, 5)
OVLP_FORTRAN(comm_create, Comm_create, 3)
OVLP_FORTRAN(comm_create_group, Comm_create_group, 4)
OVLP_FORTRAN(intercomm_create, Intercomm_create, 6)
OVLP_FORTRAN(intercomm_merge, Intercomm_merge, 3)
OVLP_FORTRAN(cart_create, Cart_create, 6)
OVLP_FORTRAN(cart_sub, Cart_sub, 3)
OVLP_FORTRAN(graph_create, Graph_create, 6)
OVLP_FORTRAN(dist_graph_create, Dist_graph_create, 9)
OVLP_FORTRAN(dist_graph_create_adjacent, Dist_graph_create_adjacent, 10)
OVLP_FORTRAN(comm_free, Comm_free, 1)
OVLP_FORTRAN(comm_disconnect, Comm_disconnect, 1)
OVLP_FORTRAN(type_free, Type_free, 1)

// With an array of types for each side.

namespace ovlp::mpi::tracer {
namespace {

/// It lives on: MPI may read it until a call that does not block has ended.
MPI_Datatype const* types_of(void* numbers, std::size_t count) {
  static std::deque<std::vector<MPI_Datatype>> all;
  std::vector<MPI_Datatype>& types = all.emplace_back();
  for (std::size_t i = 0; i < count; ++i)
    types.push_back(from_number<MPI_Datatype>(static_cast<MPI_Fint const*>(numbers)[i]));
  return types.data();
}
std::size_t all_ranks(MPI_Comm in) {
  int size = 0, between = 0;
  PMPI_Comm_test_inter(in, &between);
  between != 0 ? PMPI_Comm_remote_size(in, &size) : PMPI_Comm_size(in, &size);
  return static_cast<std::size_t>(size);
}
int const* numbers(void* at) { return static_cast<int const*>(at); }
MPI_Aint const* places(void* at) { return static_cast<MPI_Aint const*>(at); }

}  // namespace
}  // namespace ovlp::mpi::tracer

#define OVLP_FORTRAN_WITH_TYPES(name, c_name, sides, displacements)                                                    \
  OVLP_ENTRY void mpi_##name##_(OVLP_PARAMETERS_9, void* error) {                                                      \
    OVLP_HERE;                                                                                                         \
    auto const in = from_number<MPI_Comm>(*static_cast<MPI_Fint*>(i));                                                 \
    neighbour_counts const count = sides;                                                                              \
    set(error, MPI_##c_name(c_buffer(a), numbers(b), displacements(c), types_of(d, count.to), c_buffer(e), numbers(f), \
                            displacements(g), types_of(h, count.from), in));                                           \
  }                                                                                                                    \
  OVLP_ALSO_F08(name)                                                                                                  \
  OVLP_ENTRY void mpi_i##name##_(OVLP_PARAMETERS_10, void* error) {                                                    \
    OVLP_HERE;                                                                                                         \
    auto const in = from_number<MPI_Comm>(*static_cast<MPI_Fint*>(i));                                                 \
    neighbour_counts const count = sides;                                                                              \
    MPI_Request request = MPI_REQUEST_NULL;                                                                            \
    set(error, MPI_I##name(c_buffer(a), numbers(b), displacements(c), types_of(d, count.to), c_buffer(e), numbers(f),  \
                           displacements(g), types_of(h, count.from), in, &request));                                  \
    *static_cast<MPI_Fint*>(j) = number_of(request);                                                                   \
  }                                                                                                                    \
  OVLP_ALSO_F08(i##name)
OVLP_FORTRAN_WITH_TYPES(alltoallw, Alltoallw, (neighbour_counts{all_ranks(in), all_ranks(in)}), numbers)
OVLP_FORTRAN_WITH_TYPES(neighbor_alltoallw, Neighbor_alltoallw, count_neighbours(in), places)

// What the trace leaves out. Behind the result stand the lengths of texts.
#define OVLP_TEXT_PARAMETERS_0
#define OVLP_TEXT_PARAMETERS_1 , std::size_t first
#define OVLP_TEXT_PARAMETERS_2 , std::size_t first, std::size_t second
#define OVLP_TEXT_ARGUMENTS_0
#define OVLP_TEXT_ARGUMENTS_1 , first
#define OVLP_TEXT_ARGUMENTS_2 , first, second
#define OVLP_FORTRAN_LEFT_OUT(c_name, name, count, texts)                                                \
  extern "C" void pmpi_##name##_(OVLP_PARAMETERS_##count, void* error OVLP_TEXT_PARAMETERS_##texts)      \
      __attribute__((weak));                                                                             \
  OVLP_ENTRY void mpi_##name##_(OVLP_PARAMETERS_##count, void* error OVLP_TEXT_PARAMETERS_##texts) {     \
    OVLP_HERE;                                                                                           \
    call const inside(__builtin_return_address(0));                                                      \
    if (auto* const trace = inside.trace()) trace->left_out("MPI_" #c_name);                             \
    MPI_Fint own = 0;                                                                                    \
    pmpi_##name##_(OVLP_ARGUMENTS_##count, error != nullptr ? error : &own OVLP_TEXT_ARGUMENTS_##texts); \
  }                                                                                                      \
  OVLP_ALSO_F08(name)
OVLP_CALLS_LEFT_OUT(OVLP_FORTRAN_LEFT_OUT)
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses, bugprone-branch-clone)
