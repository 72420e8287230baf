// SPDX-License-Identifier: BSD-3-Clause
// Accesses by memcpy, memmove and memset: word by word, as a loop of the program would.
#include "counting.hpp"

#include <ovlp/instrument/copies.hpp>

namespace ovlp::instrument {
namespace {

constexpr std::size_t word_bytes = 8;

/// Calls it with each word's address and size.
template <class Use>
void for_words(void const* at, std::size_t bytes, Use const& use) {
  auto address = reinterpret_cast<std::uintptr_t>(at);
  std::uintptr_t const end = address + bytes;
  while (address < end) {
    std::uintptr_t const next = (address & ~(word_bytes - 1)) + word_bytes, stop = next < end ? next : end;
    use(address, stop - address);
    address = stop;
  }
}

}  // namespace

void copied(void* to, void const* from, std::size_t bytes) {
  auto const distance = reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to);
  for_words(to, bytes, [distance](std::uintptr_t address, std::size_t part) {
    threads::access(address + distance, part, false);
    threads::access_within_block(address, part, true);
  });
}
void filled(void* to, std::size_t bytes) {
  for_words(to, bytes,
            [](std::uintptr_t address, std::size_t part) { threads::access_within_block(address, part, true); });
}

}  // namespace ovlp::instrument
