// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>
#include <type_traits>

#include <ovlp/instrument/entry.hpp>

#include "call.hpp"

namespace ovlp::mpi::tracer {

/// The last argument; 1: that before it.
template <std::size_t Behind, class... All>
auto from_end(All... all) {
  return std::get<sizeof...(All) - 1 - Behind>(std::tuple(all...));
}

/// For a note that is not made.
inline constexpr auto nothing = [](auto&&...) {};

/// An argument for MPI. A status is needed also when the program wants none, which it says alike of one and of several.
template <class Argument>
Argument needed(Argument argument, MPI_Status& own) {
  if constexpr (std::is_same_v<Argument, MPI_Status*>) return argument == MPI_STATUS_IGNORE ? &own : argument;
  else return argument;
}

/// What stands for a function of MPI: MPI's own, and what the trace notes of it before and afterwards, both being
/// called with the trace, the call's site and its arguments.
template <auto Mpi, auto Before, auto After = nothing>
struct entry;
template <class... Parameters, int (*Mpi)(Parameters...), auto Before, auto After>
struct entry<Mpi, Before, After> {
  static int call(Parameters... arguments) {
    tracer::call const here(__builtin_return_address(0));
    auto* const trace = here.trace();
    if (trace != nullptr) Before(*trace, here.site(), arguments...);
    MPI_Status own{};
    int const result = Mpi(needed(arguments, own)...);
    if (trace != nullptr) After(*trace, here.site(), needed(arguments, own)...);
    return result;
  }
};

// Of collective calls that move what `Moves` says of their arguments, of which the communicator is the last one.
template <auto Moves>
constexpr auto meets = [](rank_trace& trace, call_site const& at, auto... arguments) {
  trace.meet(at, Moves(arguments...), from_end<0>(arguments...));
};
inline constexpr auto has_met = [](rank_trace& trace, call_site const& at, auto...) {
  trace.ended(at, MPI_REQUEST_NULL, {});
};
template <auto Moves>
struct starting;
template <class Moved, class... Parameters, Moved (*Moves)(Parameters...)>
struct starting<Moves> {
  void operator()(rank_trace& trace, call_site const& at, Parameters... arguments, MPI_Request* request) const {
    trace.start(at, Moves(arguments...), from_end<0>(arguments...), *request);
  }
};

}  // namespace ovlp::mpi::tracer

// A name for a function that is made of a template: which one, the linker asks when the program is loaded.
#define OVLP_STANDS_FOR(name, ...)                                                                       \
  extern "C" __attribute__((used)) decltype(&__VA_ARGS__) ovlp_resolve_##name() { return &__VA_ARGS__; } \
  OVLP_ENTRY __attribute__((ifunc("ovlp_resolve_" #name))) std::remove_pointer_t<decltype(&__VA_ARGS__)> name;
#define OVLP_AROUND(name, before, after) \
  OVLP_STANDS_FOR(MPI_##name, ovlp::mpi::tracer::entry<PMPI_##name, before, after>::call)
#define OVLP_BEFORE(name, note) OVLP_AROUND(name, note, nothing)
#define OVLP_AFTER(name, note) OVLP_AROUND(name, nothing, note)
// A collective call in both forms.
#define OVLP_COLLECTIVE(name, immediate, moves) \
  OVLP_AROUND(name, meets<moves>, has_met)      \
  OVLP_AFTER(immediate, starting<moves>{})
