// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/instrument/address_space.hpp>
#include <ovlp/instrument/entry.hpp>

/// When each word of the rank's memory was accessed. By address, never by buffer: buffers overlap and are used again.
namespace ovlp::mpi::tracer {

inline constexpr std::size_t word_bits = 3;   // a word has 8 bytes
inline constexpr std::size_t page_bits = 12;  // a page has 4 KiB: 512 words
inline constexpr std::size_t words_of_page = std::size_t{1} << (page_bits - word_bits);
using instrument::address_bits;

/// A table of all pages there could be. It is reserved, not used: the system gives memory to the parts that are
/// touched.
struct page_table {
  std::uint64_t** pages = nullptr;  ///< of each page its words; none: nothing is known of the page

  std::uint64_t*& page(std::uintptr_t address) const { return pages[address >> page_bits]; }
  static std::size_t word(std::uintptr_t address) { return (address >> word_bits) & (words_of_page - 1); }
};

struct shadow {
  /// The rank's clock: words that instrumented code has accessed so far. Threads of a rank share it without
  /// synchronization: where several compute at once it is approximate.
  std::uint64_t clock = 0;
  page_table stored;          ///< the time of each word's last store; 0: never
  page_table sent;            ///< the time of the last send of each word; 0: never
  page_table loaded;          ///< of pages that got a message: the time of each word's first load since, 0: not yet
  bool instrumented = false;  ///< there is code that calls the doors
};

/// A time that is no load: of words that got no message.
inline constexpr std::uint64_t not_awaited = 1;

extern OVLP_SHARED shadow memory;

/// There is instrumented code. Errors: without tables a line on standard error, and the process ends.
OVLP_SHARED void expect_tables();

/// Makes the page known. Every word of it gets this time.
std::uint64_t* add_page(page_table& to, std::uintptr_t address, std::uint64_t time);
/// A store, to a page that has had none.
OVLP_SHARED void store_in_new_page(std::uintptr_t address);

}  // namespace ovlp::mpi::tracer
