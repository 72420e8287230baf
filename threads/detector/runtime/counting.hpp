// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/instrument/entry.hpp>
#include <ovlp/threads/relaxed.hpp>

/// What an access to memory comes to. By the relaxed definition it is one look at the block's most recent thread, if
/// that is the one that accesses it; all else is a call.
namespace ovlp::shared_memory {

/// Of each thread, in storage of its own.
struct this_thread {
  /// What a block says whose most recent thread this is; `nobody`: its accesses are all calls.
  std::uint32_t newest;
  std::uint32_t place;  ///< its number + 1; 0: not known yet; `unobserved`
  counter_row* row;     ///< of the relaxed definition
};
inline constexpr std::uint32_t nobody = ~std::uint32_t{0};
inline constexpr std::uint32_t unobserved = ~std::uint32_t{0};

/// The most recent threads of each block of the address space. Reserved, not used: the system gives memory to what is
/// touched. Where blocks are not counted it is one for all addresses, which stays empty.
struct block_table {
  std::uint32_t* blocks;
  std::uint32_t block_bits;
};

// No constructor, and a place that is known when the program starts: an access needs no call to find it.
extern __thread __attribute__((tls_model("initial-exec"))) OVLP_SHARED this_thread self;
extern OVLP_SHARED block_table table;

/// There is code that was compiled for counting.
OVLP_SHARED void program_started();
/// Any other access than by the most recent thread of the block. Thread: any.
OVLP_SHARED void other_access(std::uintptr_t address, std::size_t bytes, bool stores);

/// Of bytes in one block.
inline void access_within_block(std::uintptr_t address, std::size_t bytes, bool stores) {
  recent_threads const recent = __atomic_load_n(&table.blocks[address >> table.block_bits], __ATOMIC_RELAXED);
  if (newest_of(recent) == self.newest) [[likely]] {
    ++(*self.row)[second_of(recent)];
    return;
  }
  other_access(address, bytes, stores);
}

inline void access(std::uintptr_t address, std::size_t bytes, bool stores) {
  std::uintptr_t const end = address + bytes;
  while (address < end) {
    std::uintptr_t next = ((address >> table.block_bits) + 1) << table.block_bits;
    if (next > end) next = end;
    access_within_block(address, next - address, stores);
    address = next;
  }
}

/// Of many bytes, such as a copy: as a loop of the program over words would. Calls `use` with each word's address and
/// size.
template <class Use>
void for_words(std::uintptr_t address, std::size_t bytes, Use const& use) {
  constexpr std::size_t word_bytes = 8;
  std::uintptr_t const end = address + bytes;
  while (address < end) {
    std::uintptr_t const next = (address & ~(word_bytes - 1)) + word_bytes, stop = next < end ? next : end;
    use(address, stop - address);
    address = stop;
  }
}

inline void access_words(void const* at, std::size_t bytes, bool stores) {
  for_words(reinterpret_cast<std::uintptr_t>(at), bytes,
            [stores](std::uintptr_t address, std::size_t part) { access_within_block(address, part, stores); });
}

}  // namespace ovlp::shared_memory
