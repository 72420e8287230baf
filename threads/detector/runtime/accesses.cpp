// SPDX-License-Identifier: BSD-3-Clause
// Accesses of the program's own code.
#include "counting.hpp"

#include <ovlp/instrument/doors.hpp>

namespace ovlp::instrument {

void started() { shared_memory::program_started(); }
void loaded_word(void const* at, std::size_t bytes) {
  shared_memory::access_within_block(reinterpret_cast<std::uintptr_t>(at), bytes, false);
}
void stored_word(void const* at, std::size_t bytes) {
  shared_memory::access_within_block(reinterpret_cast<std::uintptr_t>(at), bytes, true);
}
void loaded(void const* at, std::size_t bytes) {
  shared_memory::access(reinterpret_cast<std::uintptr_t>(at), bytes, false);
}
void stored(void const* at, std::size_t bytes) {
  shared_memory::access(reinterpret_cast<std::uintptr_t>(at), bytes, true);
}
void loaded_range(void const* at, std::size_t bytes) { shared_memory::access_words(at, bytes, false); }
void stored_range(void const* at, std::size_t bytes) { shared_memory::access_words(at, bytes, true); }
void entered(void const*) {}
void left() {}

}  // namespace ovlp::instrument
