// SPDX-License-Identifier: BSD-3-Clause
// Threads are numbered when they are created, in the order of the calls: so are those of a team of OpenMP.
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "entry.hpp"
#include "observed.hpp"

namespace ovlp::threads {
namespace {

struct beginning {
  void* (*function)(void*);
  void* argument;
  std::uint32_t number;
};

extern "C" void* run_observed(void* given) {
  beginning const its = *static_cast<beginning*>(given);
  std::free(given);
  observe(its.number);
  return its.function(its.argument);
}

using creation = int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);

}  // namespace
}  // namespace ovlp::threads

OVLP_ENTRY int pthread_create(pthread_t* made, pthread_attr_t const* attributes, void* (*function)(void*),
                              void* argument) {
  using namespace ovlp::threads;  // NOLINT(google-build-using-namespace)
  static auto const create = reinterpret_cast<creation>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (counted() == nullptr) return create(made, attributes, function, argument);
  auto* const its = static_cast<beginning*>(std::malloc(sizeof(beginning)));
  if (its == nullptr) return EAGAIN;
  std::uint32_t const number = number_of_new_thread();
  *its = {function, argument, number};
  int const failed = create(made, attributes, run_observed, its);
  if (failed != 0) {
    give_back(number);
    std::free(its);
  }
  return failed;
}
