// SPDX-License-Identifier: BSD-3-Clause
// Threads are numbered when they are created, in the order of the calls: so are those of a team of OpenMP.
#include <ovlp/instrument/entry.hpp>
#include <ovlp/threads/create_numbered.hpp>

#include "observed.hpp"

OVLP_ENTRY int pthread_create(pthread_t* made, pthread_attr_t const* attributes, void* (*function)(void*),
                              void* argument) {
  using namespace ovlp::threads;  // NOLINT(google-build-using-namespace)
  if (counted() == nullptr) return create_next(made, attributes, function, argument);
  std::uint32_t const number = number_of_new_thread();
  int const failed = create_numbered(made, attributes, {function, argument, number, observe});
  if (failed != 0) give_back(number);
  return failed;
}
