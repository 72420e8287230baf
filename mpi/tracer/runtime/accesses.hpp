// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shadow.hpp"

/// What an access to memory comes to: one more on the clock, and its time in the shadow.
namespace ovlp::mpi::tracer {

inline void load_word(std::uintptr_t address) {
  ++memory.clock;
  std::uint64_t* const page = memory.loaded.page(address);
  if (page == nullptr) [[likely]]
    return;
  std::uint64_t& first = page[page_table::word(address)];
  if (first == 0) first = memory.clock;
}

inline void store_word(std::uintptr_t address) {
  ++memory.clock;
  std::uint64_t* const page = memory.stored.page(address);
  if (page == nullptr) [[unlikely]]
    return store_in_new_page(address);
  page[page_table::word(address)] = memory.clock;
}

/// Calls it with an address in each word.
template <class Use>
inline void for_words(void const* at, std::size_t bytes, Use const& use) {
  constexpr std::uintptr_t word_bytes = 1U << word_bits;
  auto const begin = reinterpret_cast<std::uintptr_t>(at);
  for (std::uintptr_t address = begin & ~(word_bytes - 1); address < begin + bytes; address += word_bytes) use(address);
}

}  // namespace ovlp::mpi::tracer
