// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// What a traced program counts, in a file that it shares with `ovlp threads trace`: so nothing that was counted is
/// lost, however the program ends.
namespace ovlp::shared_memory {

/// Which two accesses to memory are communication. Source: M. Diener et al., Communication in shared memory, sections
/// III.B and IV.
enum class definition : std::uint32_t {
  relaxed,   ///< an access to a block, and the two threads that accessed it last
  accurate,  ///< two accesses to a line of simulated caches, if it was not evicted in between
};

/// Of communication, each with a table of its own. By the relaxed definition only the first.
enum class kind : std::uint32_t {
  communication,   ///< accurate: true, the same bytes of the line
  spatial_false,   ///< other bytes of the same line
  temporal_false,  ///< the line has been evicted in between: what caches without end would add
};
inline constexpr std::size_t kinds = 3;
inline constexpr std::size_t kinds_of(definition how) { return how == definition::accurate ? kinds : 1; }

inline constexpr std::size_t most_threads = 4096;  // that are told apart

/// Of the relaxed definition: a power of two from 64 to 2^20.
inline constexpr bool can_be_block(std::uint64_t bytes) {
  return bytes >= 64 && bytes <= 1 << 20 && (bytes & (bytes - 1)) == 0;
}

/// Of a simulated cache hierarchy, from the smallest on. The last level contains what those above it have.
struct cache_level {
  std::uint64_t bytes;      ///< of one cache
  std::uint32_t ways;       ///< lines of a set
  std::uint32_t shared_by;  ///< processing units that use one cache
};
inline constexpr std::size_t cache_levels = 3;
inline constexpr unsigned line_bits = 6;  // of all simulated caches
inline constexpr std::uint64_t line_bytes = std::uint64_t{1} << line_bits;

/// The paper's machine: Intel Nehalem, 32 KiB and 256 KiB by pairs of units, 18 MiB by 16 (section V.A).
inline constexpr std::array<cache_level, cache_levels> nehalem{
    {{32 << 10, 8, 2}, {256 << 10, 8, 2}, {18 << 20, 24, 16}}};

/// Where an access to a line of simulated caches finds it: on a level of its unit's own caches (0 to 2), or
enum line_source : std::uint32_t { in_other_caches = cache_levels, in_memory };
inline constexpr std::size_t line_sources = cache_levels + 2;

struct thread_counters {
  /// Relaxed: add the thread's row of the table, for all its accesses. Accurate: all its accesses.
  std::int64_t accesses;
  std::int64_t private_accesses;                 ///< accurate: to lines that no other thread has accessed (so far)
  std::array<std::int64_t, line_sources> found;  ///< accurate: lines that were accessed, by where they were
};

/// A row of a table: how often a thread communicated with each other one, by number + 1; in place 0 relaxed accesses
/// to blocks that only this thread has accessed so far.
using counter_row = std::array<std::uint64_t, most_threads + 1>;

/// The file, as it lies in memory.
struct counters {
  static constexpr std::array<char, 16> right_magic{"ovlp counters 2"};
  std::array<char, 16> magic;

  // Asked for
  definition how;
  std::uint32_t block_bits;  ///< relaxed: a block has 2^block_bits bytes
  std::uint32_t clear_freed;
  std::array<cache_level, cache_levels> caches;
  std::array<std::uint16_t, most_threads> unit_of_thread;  ///< accurate: on which each runs

  // By the program
  std::atomic<std::uint32_t> claimed;     ///< by the first program that was linked for this: only that one counts
  std::atomic<std::uint32_t> others;      ///< that came later
  std::atomic<std::uint32_t> gave_up;     ///< it could not count, and has said why
  std::atomic<std::uint32_t> started;     ///< it has begun: it was compiled for this
  std::atomic<std::uint32_t> threads;     ///< so far, by creation; 0 is the program's first
  std::atomic<std::uint32_t> unobserved;  ///< threads beyond `most_threads`
  std::atomic<std::uint32_t> forks;       ///< what the children do is not counted
  std::atomic<std::uint32_t> phases;  ///< that were begun by a call: files NAME.phase-0 and so on, from this one's name
  double started_s;                   ///< on the machine's monotonic clock

  std::array<thread_counters, most_threads> of_thread;
  std::array<std::array<counter_row, most_threads>, kinds> tables;
};

/// Before each snapshot that a phase begins with. Then come its name, and for each thread its thread_counters and, of
/// each kind, `threads` + 1 counters.
struct phase_header {
  double begin_s;  ///< since the program's start
  std::uint32_t name_bytes, threads;
};

/// Environment variable with the file's name. The program that is traced removes it: those that it starts are others.
inline constexpr char const* counters_variable = "OVLP_THREAD_COUNTERS";

}  // namespace ovlp::shared_memory
