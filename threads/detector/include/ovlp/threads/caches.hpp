// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <ovlp/threads/arena.hpp>
#include <ovlp/threads/counters.hpp>

/// Simulated caches of three levels: set-associative, with least recently used replacement, coherent.
namespace ovlp::shared_memory {

/// A line of memory, where caches are concerned.
struct cached_line {
  std::uint64_t number;                               ///< its address / 64
  std::array<std::uint64_t, cache_levels> holders{};  ///< which caches of each level have it: a bit each
};

/// The first level that cannot be simulated, and what is expected of it; empty: all can. At most 64 caches a level;
/// units that share a cache share those of the next level.
std::string complaint_about(std::array<cache_level, cache_levels> const& levels);
/// Processing units of a hierarchy: as many as there may be caches for.
inline std::size_t units_of(std::array<cache_level, cache_levels> const& levels) { return 64 * levels[0].shared_by; }

/// Fetched lines go into a cache of each level on their way to the unit. The last level has all that the caches above
/// it have: what it evicts leaves them, too. A store takes the line out of all caches that are not on the unit's way.
/// Thread: one at a time. Memory: 8 bytes for each place that was ever used; never given back.
class cache_hierarchy {
 public:
  /// Source of memory: `from`, which must live as long. Errors: false if there is none left.
  bool build(std::array<cache_level, cache_levels> const& levels, arena& from);
  std::size_t units() const { return units_; }

  /// An access by a processing unit. Returns where it finds the line: a level, or a line_source.
  std::uint32_t access(cached_line& line, std::size_t unit, bool stores);

 private:
  struct simulated_level {
    std::uint32_t ways, shared_by;
    std::uint64_t sets;
    cached_line** places;  ///< of each cache, of each set, the most recent first
  };
  struct place {
    std::size_t level, cache;
  };

  std::size_t cache_of(std::size_t unit, std::size_t level) const { return unit / levels_[level].shared_by; }
  cached_line** set_of(place in, cached_line const& line) const;
  void touch(cached_line& line, place in);
  void insert(cached_line& line, place in);
  void remove(cached_line& line, place in);
  void evict_below(cached_line& line, std::size_t last_level_cache);
  void invalidate_others(cached_line& line, std::size_t unit);
  void remove_all(cached_line& line, std::size_t level, std::uint64_t caches);

  std::size_t units_ = 0;
  std::array<simulated_level, cache_levels> levels_{};
};

}  // namespace ovlp::shared_memory
