// SPDX-License-Identifier: BSD-3-Clause
// Threads are numbered when they are created, in the order of the calls: so are those of a team of OpenMP, whose
// numbers are used again when they have ended.
#include <dlfcn.h>

#include <cstring>

#include <ovlp/instrument/entry.hpp>
#include <ovlp/threads/create_numbered.hpp>

#include "observed.hpp"

namespace ovlp::shared_memory {
namespace {

/// A library for OpenMP: GCC's, LLVM's or Intel's.
bool makes_teams(void const* caller) {
  Dl_info of{};
  if (::dladdr(caller, &of) == 0 || of.dli_fname == nullptr) return false;
  char const* const slash = std::strrchr(of.dli_fname, '/');
  char const* const name = slash == nullptr ? of.dli_fname : slash + 1;
  for (char const* library : {"libgomp", "libomp", "libiomp"}) {
    if (std::strncmp(name, library, std::strlen(library)) == 0) return true;
  }
  return false;
}

int create(pthread_t* made, pthread_attr_t const* attributes, thread_function function, void* argument, bool of_team) {
  if (counted() == nullptr) return create_next(made, attributes, function, argument);
  std::uint32_t const number = number_of_new_thread(of_team);
  int const failed =
      create_numbered(made, attributes, {function, argument, number, observe, of_team ? has_ended : nullptr});
  if (failed != 0) of_team ? has_ended(number) : give_back(number);
  return failed;
}

}  // namespace
}  // namespace ovlp::shared_memory

OVLP_ENTRY int pthread_create(pthread_t* made, pthread_attr_t const* attributes, void* (*function)(void*),
                              void* argument) {
  using namespace ovlp::shared_memory;  // NOLINT(google-build-using-namespace)
  return create(made, attributes, function, argument, makes_teams(__builtin_return_address(0)));
}

OVLP_ENTRY int thrd_create(thrd_t* made, thrd_start_t function, void* argument) {
  return ovlp::shared_memory::create_c11(made, function, argument);
}
