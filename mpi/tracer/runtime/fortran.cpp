// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI as Fortran's: the C ones of this library, with arguments that are converted by their types. MPI's
// own Fortran layer does not call the C functions by their names, or not all.
//
// Names end in _, default integers have MPI_Fint's size, and .true. is 1: as gfortran's. Module mpi_f08 calls functions
// of its own, whose names end in _f08_ and whose last argument may be missing; handles and statuses are as large there.
// MPICH's have others, ending in _f08ts_, for calls with buffers, which then call the C functions by their names.
#include <algorithm>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include <mpi.h>

#include "buffers.hpp"
#include "call_lists.hpp"
#include "entries.hpp"
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
extern int unweighted_of_f08 __asm__("__mpi_f08_link_constants_MOD_mpi_unweighted") __attribute__((weak));
extern int weights_empty_of_f08 __asm__("__mpi_f08_link_constants_MOD_mpi_weights_empty") __attribute__((weak));
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
  if ((&MPIR_F_MPI_UNWEIGHTED != nullptr && of_fortran == MPIR_F_MPI_UNWEIGHTED) || of_fortran == &unweighted_of_f08)
    return MPI_UNWEIGHTED;
  if ((&MPIR_F_MPI_WEIGHTS_EMPTY != nullptr && of_fortran == MPIR_F_MPI_WEIGHTS_EMPTY) ||
      of_fortran == &weights_empty_of_f08)
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

template <class Parameter>
using address_of = void*;
template <std::size_t>
using length_of_text = std::size_t;

/// What Fortran calls for a C function: with the addresses of its arguments, and of its result. Behind them stand the
/// lengths of texts, of which there are `Texts`.
template <auto Function, class Texts = std::index_sequence<>>
struct fortran;
template <class... Parameters, int (*Function)(Parameters...), std::size_t... Texts>
struct fortran<Function, std::index_sequence<Texts...>> {
  using type = void(address_of<Parameters>..., void* error, length_of_text<Texts>...);

  static void call(address_of<Parameters>... arguments, void* error) {
    fortran_call const here(__builtin_return_address(0));
    set(error, Function(argument<Parameters>(arguments).get()...));
  }
  /// MPI's own, and a note that the trace leaves it out.
  template <type* Own, char const* Name>
  static void noted(address_of<Parameters>... arguments, void* error, length_of_text<Texts>... lengths) {
    fortran_call const here(__builtin_return_address(0));
    tracer::call const inside(__builtin_return_address(0));
    if (auto* const trace = inside.trace()) trace->left_out(Name);
    MPI_Fint own = 0;
    Own(arguments..., error != nullptr ? error : &own, lengths...);
  }
};

/// It lives on: MPI may read it until a call that does not block has ended.
MPI_Datatype const* types_of(MPI_Fint const* numbers, std::size_t count) {
  static std::deque<std::vector<MPI_Datatype>> all;
  std::vector<MPI_Datatype>& types = all.emplace_back(count);
  std::transform(numbers, numbers + count, types.begin(), from_number<MPI_Datatype>);
  return types.data();
}

/// The same for a C function that takes a type for each rank, or, with places in bytes, for each neighbour.
template <auto Function>
struct fortran_with_types;
template <class Place, class... Requests,
          int (*Function)(void const*, int const*, Place const*, MPI_Datatype const*, void*, int const*, Place const*,
                          MPI_Datatype const*, MPI_Comm, Requests...)>
struct fortran_with_types<Function> {
  static void call(void* out, int* out_counts, Place* out_places, MPI_Fint* out_types, void* in, int* in_counts,
                   Place* in_places, MPI_Fint* in_types, void* communicator, address_of<Requests>... requests,
                   void* error) {
    fortran_call const here(__builtin_return_address(0));
    auto const among = argument<MPI_Comm>(communicator).get();
    neighbour_counts const count =
        std::is_same_v<Place, int> ? neighbour_counts{size_of(among), size_of(among)} : count_neighbours(among);
    set(error, Function(c_buffer(out), out_counts, out_places, types_of(out_types, count.to), c_buffer(in), in_counts,
                        in_places, types_of(in_types, count.from), among, argument<Requests>(requests).get()...));
  }
};

/// The arguments of a call that takes several requests, and what goes back.
class several_requests {
 public:
  several_requests(MPI_Fint const* count, MPI_Fint* numbers, MPI_Fint* statuses)
      : numbers_(numbers),
        statuses_(statuses),
        handles_(static_cast<std::size_t>(*count)),
        c_statuses_(1 + handles_.size()) {
    std::transform(numbers, numbers + *count, handles_.begin(), from_number<MPI_Request>);
  }
  several_requests(several_requests const&) = delete;
  several_requests& operator=(several_requests const&) = delete;
  ~several_requests() { std::transform(handles_.begin(), handles_.end(), numbers_, number_of<MPI_Request>); }
  int count() const { return static_cast<int>(handles_.size()); }
  MPI_Request* get() { return handles_.data(); }
  MPI_Status* statuses() { return c_statuses_.data(); }
  void give_back_statuses(int count) const {
    constexpr std::size_t length = sizeof(MPI_Status) / sizeof(MPI_Fint);  // in Fortran, too
    if (!is_wanted(statuses_) || count == MPI_UNDEFINED) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      PMPI_Status_c2f(&c_statuses_[i], statuses_ + i * length);
  }

 private:
  MPI_Fint* numbers_;
  MPI_Fint* statuses_;
  std::vector<MPI_Request> handles_;
  std::vector<MPI_Status> c_statuses_;
};

/// Places begin at 1.
void count_from_one(MPI_Fint* places, MPI_Fint count) {
  for (MPI_Fint i = 0; i < count; ++i) {
    if (places[i] != MPI_UNDEFINED) ++places[i];
  }
}

// What goes back behind the requests: by the arguments there.
constexpr auto gives_back_all = [](several_requests const& all, auto...) { all.give_back_statuses(all.count()); };
constexpr auto may_give_back_all = [](several_requests const& all, MPI_Fint const* flag, auto...) {
  if (*flag != 0) all.give_back_statuses(all.count());
};
constexpr auto gives_back_one = [](several_requests const& all, MPI_Fint* place, auto...) {
  all.give_back_statuses(1);
  count_from_one(place, 1);
};
constexpr auto may_give_back_one = [](several_requests const& all, MPI_Fint* place, MPI_Fint const* flag, auto...) {
  all.give_back_statuses(1);
  if (*flag != 0) count_from_one(place, 1);
};
constexpr auto gives_back_some = [](several_requests const& all, MPI_Fint const* ended, MPI_Fint* places, auto...) {
  all.give_back_statuses(*ended);
  count_from_one(places, *ended);
};

template <class>
using number_at = MPI_Fint*;
template <class Parameter>
Parameter of_several(several_requests& all, MPI_Fint* at) {
  if constexpr (std::is_same_v<Parameter, MPI_Status*>) return all.statuses();
  else return at;
}

/// The same for a C function that takes several requests, of whose other arguments statuses are the last.
template <auto Function, auto GivesBack>
struct fortran_of_several;
template <class... Others, int (*Function)(int, MPI_Request*, Others...), auto GivesBack>
struct fortran_of_several<Function, GivesBack> {
  static void call(MPI_Fint* count, MPI_Fint* requests, number_at<Others>... others, void* error) {
    fortran_call const here(__builtin_return_address(0));
    several_requests all(count, requests, from_end<0>(static_cast<MPI_Fint*>(nullptr), others...));
    set(error, Function(all.count(), all.get(), of_several<Others>(all, others)...));
    GivesBack(all, others...);
  }
};

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)

// A function for both modules.
#define OVLP_FORTRAN_ENTRY(name, ...)         \
  OVLP_STANDS_FOR(mpi_##name##_, __VA_ARGS__) \
  OVLP_STANDS_FOR(mpi_##name##_f08_, __VA_ARGS__)
#define OVLP_HERE fortran_call const here(__builtin_return_address(0))

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
OVLP_STANDS_FOR(mpi_finalize_f08_, ovlp::mpi::tracer::fortran<&MPI_Finalize>::call)

#define OVLP_FORTRAN_SEVERAL(c_name, name, gives_back) \
  OVLP_FORTRAN_ENTRY(name, ovlp::mpi::tracer::fortran_of_several<&MPI_##c_name, gives_back>::call)
OVLP_FORTRAN_SEVERAL(Startall, startall, nothing)
OVLP_FORTRAN_SEVERAL(Waitall, waitall, gives_back_all)
OVLP_FORTRAN_SEVERAL(Testall, testall, may_give_back_all)
OVLP_FORTRAN_SEVERAL(Waitany, waitany, gives_back_one)
OVLP_FORTRAN_SEVERAL(Testany, testany, may_give_back_one)
OVLP_FORTRAN_SEVERAL(Waitsome, waitsome, gives_back_some)
OVLP_FORTRAN_SEVERAL(Testsome, testsome, gives_back_some)

// All others, whose arguments are converted one by one.
#define OVLP_FORTRAN(c_name, name) OVLP_FORTRAN_ENTRY(name, ovlp::mpi::tracer::fortran<&MPI_##c_name>::call)
#define OVLP_FORTRAN_MESSAGE(c_name, name) \
  OVLP_FORTRAN(c_name, name) OVLP_FORTRAN(I##name, i##name) OVLP_FORTRAN(c_name##_init, name##_init)
#define OVLP_FORTRAN_COLLECTIVE(c_name, name) OVLP_FORTRAN(c_name, name) OVLP_FORTRAN(I##name, i##name)
OVLP_MESSAGE_CALLS(OVLP_FORTRAN_MESSAGE)
OVLP_COLLECTIVE_CALLS(OVLP_FORTRAN_COLLECTIVE)
OVLP_FORTRAN_COLLECTIVE(Barrier, barrier)
OVLP_CALLS_OF_ONE_FORM(OVLP_FORTRAN)

// With an array of types for each side.
#define OVLP_FORTRAN_WITH_TYPES(c_name, name)                                          \
  OVLP_FORTRAN_ENTRY(name, ovlp::mpi::tracer::fortran_with_types<&MPI_##c_name>::call) \
  OVLP_FORTRAN_ENTRY(i##name, ovlp::mpi::tracer::fortran_with_types<&MPI_I##name>::call)
OVLP_FORTRAN_WITH_TYPES(Alltoallw, alltoallw)
OVLP_FORTRAN_WITH_TYPES(Neighbor_alltoallw, neighbor_alltoallw)

// What the trace leaves out.
#define OVLP_FORTRAN_LEFT_OUT(c_name, name, texts)                                      \
  using ovlp_form_of_##name = fortran<&PMPI_##c_name, std::make_index_sequence<texts>>; \
  static constexpr char ovlp_name_of_##name[] = "MPI_" #c_name;                         \
  extern "C" __attribute__((weak)) ovlp_form_of_##name::type pmpi_##name##_;            \
  OVLP_FORTRAN_ENTRY(name, ovlp_form_of_##name::noted<pmpi_##name##_, ovlp_name_of_##name>)
OVLP_CALLS_LEFT_OUT(OVLP_FORTRAN_LEFT_OUT)
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses, bugprone-branch-clone)
