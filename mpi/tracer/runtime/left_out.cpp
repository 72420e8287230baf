// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that the trace leaves out: it says so.
#include <mpi.h>

#include <ovlp/instrument/entry.hpp>

#include "call.hpp"
#include "left_out_calls.hpp"

namespace ovlp::mpi::tracer {
namespace {

/// MPI's own function, with its parameters whatever they are, and a note.
template <auto Function, char const* Name>
struct noted;
template <class... Parameters, int (*Function)(Parameters...), char const* Name>
struct noted<Function, Name> {
  static int call(Parameters... arguments) {
    tracer::call const here(__builtin_return_address(0));
    if (auto* const trace = here.trace()) trace->left_out(Name);
    return Function(arguments...);
  }
};

}  // namespace
}  // namespace ovlp::mpi::tracer

// A name for that function: which one, the linker asks when the program is loaded.
#define OVLP_LEFT_OUT(name, ...)                                                  \
  static constexpr char ovlp_name_of_##name[] = "MPI_" #name;                     \
  extern "C" __attribute__((used)) decltype(&PMPI_##name) ovlp_resolve_##name() { \
    return ovlp::mpi::tracer::noted<&PMPI_##name, ovlp_name_of_##name>::call;     \
  }                                                                               \
  OVLP_ENTRY __attribute__((ifunc("ovlp_resolve_" #name))) decltype(PMPI_##name) MPI_##name;

OVLP_CALLS_LEFT_OUT(OVLP_LEFT_OUT)
OVLP_CALLS_OF_MPI_4_LEFT_OUT(OVLP_LEFT_OUT)
