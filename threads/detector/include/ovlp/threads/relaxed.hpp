// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ovlp/threads/counters.hpp>

/// The relaxed definition of communication: the two most recent distinct threads of each block.
///
/// An access by t communicates with each of them that is not t. Then t is the most recent one, and the most recent of
/// the others is the second. The paper's algorithm 1 takes the ends of its queue for each other, so that a thread can
/// stand in it twice; its program, numalize, keeps the two last accesses, which a thread that accesses a block twice
/// fills alone. Source: M. Diener et al., Communication in shared memory, section IV.
namespace ovlp::shared_memory {

/// Of a block: the most recent thread in the low half, the one before it in the high half, by number + 1. 0: nobody.
using recent_threads = std::uint32_t;
inline constexpr std::uint32_t newest_of(recent_threads who) { return who & 0xffff; }
inline constexpr std::uint32_t second_of(recent_threads who) { return who >> 16; }

/// Counts an access by a thread (number + 1), and gives what the block has then.
inline recent_threads access_block(recent_threads before, std::uint32_t thread, counter_row& row,
                                   thread_counters& of_thread) {
  std::uint32_t const newest = newest_of(before), second = second_of(before);
  if (newest == thread) {
    ++row[second];
    return before;
  }
  if (newest == 0) {
    ++row[0];
    return thread;
  }
  ++row[newest];
  if (second != 0 && second != thread) {
    ++row[second];
    --of_thread.accesses;  // counted twice
  }
  return thread | newest << 16;
}

}  // namespace ovlp::shared_memory
