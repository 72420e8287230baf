// SPDX-License-Identifier: BSD-3-Clause
// Accesses of the program's own code.
#include "accesses.hpp"

#include <ovlp/instrument/doors.hpp>

namespace ovlp::instrument {

namespace tracer = mpi::tracer;

void started() { tracer::expect_tables(); }
void loaded_word(void const* at, std::size_t) { tracer::load_word(reinterpret_cast<std::uintptr_t>(at)); }
void stored_word(void const* at, std::size_t) { tracer::store_word(reinterpret_cast<std::uintptr_t>(at)); }
void loaded(void const* at, std::size_t bytes) { tracer::for_words(at, bytes, tracer::load_word); }
void stored(void const* at, std::size_t bytes) { tracer::for_words(at, bytes, tracer::store_word); }
void loaded_range(void const* at, std::size_t bytes) { loaded(at, bytes); }
void stored_range(void const* at, std::size_t bytes) { stored(at, bytes); }
void entered(void const*) {}
void left() {}

}  // namespace ovlp::instrument
