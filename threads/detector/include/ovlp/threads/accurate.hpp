// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ovlp/threads/arena.hpp>
#include <ovlp/threads/caches.hpp>
#include <ovlp/threads/counters.hpp>

namespace ovlp::shared_memory {

/// An access to memory.
struct memory_access {
  std::uintptr_t address;
  std::size_t bytes;
  bool stores;
};

/// The accurate definition of communication: two accesses by different threads to a line of the cache hierarchy that
/// has not been evicted from all caches in between.
///
/// An access by t communicates with each other thread that has accessed the line before: truly, if that thread has
/// accessed one of the same bytes since the line came from memory; spatially false, if only others of its bytes;
/// temporally false, if it has not accessed the line since then. With the last kind the sum is what a last level
/// without end gives. Source: M. Diener et al., Communication in shared memory, sections III.B and V.A.
///
/// Thread: one at a time. Cost: O(threads that have accessed the line) an access. Memory: some 64 bytes a line and 16
/// for each of its threads.
class accurate_detector {
 public:
  /// Errors: false if there is no memory.
  bool build(std::array<cache_level, cache_levels> const& levels);

  /// By the thread of this number (from 0). Errors: false if there is no memory: the access is not counted.
  bool access(std::uint32_t thread, memory_access const& what, counters& to);

 private:
  struct accessor {
    std::uint64_t bytes;       ///< that it has accessed, since the line was fetched
    std::uint32_t generation;  ///< of the line, when it accessed it last
    std::uint32_t thread;
  };
  struct line : cached_line {
    std::uint32_t generation;  ///< how often it was fetched from memory
    std::uint32_t count, room;
    std::uint64_t accesses;  ///< while only one thread has accessed it
    accessor* accessors;     ///< the most recent first
  };
  static constexpr std::size_t page_bits = 12;

  line* line_of(std::uint64_t number);
  bool access_line(std::uint32_t thread, line& to, std::uint64_t bytes, bool stores, counters& counted);
  accessor* own_accessor(std::uint32_t thread, line& of);

  arena memory_;
  cache_hierarchy caches_;
  line*** pages_ = nullptr;  ///< of lines, by number; those that were accessed
};

}  // namespace ovlp::shared_memory
