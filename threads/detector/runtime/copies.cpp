// SPDX-License-Identifier: BSD-3-Clause
// Accesses by memcpy, memmove and memset: word by word, as a loop of the program would.
#include "counting.hpp"

#include <ovlp/instrument/copies.hpp>

namespace ovlp::instrument {

void copied(void* to, void const* from, std::size_t bytes) {
  auto const address_to = reinterpret_cast<std::uintptr_t>(to);
  auto const distance = reinterpret_cast<std::uintptr_t>(from) - address_to;
  shared_memory::for_words(address_to, bytes, [distance](std::uintptr_t address, std::size_t part) {
    shared_memory::access(address + distance, part, false);
    shared_memory::access_within_block(address, part, true);
  });
}
void filled(void* to, std::size_t bytes) { shared_memory::access_words(to, bytes, true); }

}  // namespace ovlp::instrument
