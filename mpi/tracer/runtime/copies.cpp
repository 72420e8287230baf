// SPDX-License-Identifier: BSD-3-Clause
// Accesses by memcpy, memmove and memset: word by word, as a loop of the program would.
#include "accesses.hpp"

#include <ovlp/instrument/copies.hpp>

namespace ovlp::instrument {

namespace tracer = mpi::tracer;

void copied(void* to, void const* from, std::size_t bytes) {
  auto const distance = reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to);
  tracer::for_words(to, bytes, [distance](std::uintptr_t address) {
    tracer::load_word(address + distance);
    tracer::store_word(address);
  });
}
void filled(void* to, std::size_t bytes) { tracer::for_words(to, bytes, tracer::store_word); }

}  // namespace ovlp::instrument
