// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/caches.hpp>

#include <algorithm>
#include <bit>

namespace ovlp::shared_memory {
namespace {

constexpr std::size_t most_caches = 64;  // of a level: bits of its holders
constexpr std::size_t last = cache_levels - 1;

std::uint64_t bit_of(std::size_t cache) { return std::uint64_t{1} << cache; }

}  // namespace

std::string complaint_about(std::array<cache_level, cache_levels> const& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    cache_level const& l = levels[i];
    std::string const name = "level " + std::to_string(i + 1) + ": ";
    if (l.ways == 0 || l.bytes == 0 || l.bytes % (l.ways * line_bytes) != 0)
      return name + "expected a size of so many ways of lines of 64 bytes, got " + std::to_string(l.bytes) +
             " bytes and " + std::to_string(l.ways) + " ways";
    if (l.ways > 1024 || l.bytes > std::uint64_t{1} << 32) return name + "expected at most 4 GiB and 1,024 ways";
    if (l.shared_by == 0 || l.shared_by > most_caches)
      return name + "expected 1 to 64 units that share a cache, got " + std::to_string(l.shared_by);
    if (i > 0 && l.bytes < levels[i - 1].bytes)
      return name + "expected at least the " + std::to_string(levels[i - 1].bytes) + " bytes of the level above, got " +
             std::to_string(l.bytes);
    if (i > 0 && l.shared_by % levels[i - 1].shared_by != 0)
      return name + "expected a multiple of the " + std::to_string(levels[i - 1].shared_by) +
             " units that share a cache above it, got " + std::to_string(l.shared_by);
  }
  return "";
}

bool cache_hierarchy::build(std::array<cache_level, cache_levels> const& levels, arena& from) {
  units_ = units_of(levels);
  for (std::size_t i = 0; i < cache_levels; ++i) {
    std::uint64_t const lines = levels[i].bytes / line_bytes;
    std::size_t const caches = (units_ + levels[i].shared_by - 1) / levels[i].shared_by;
    levels_[i] = {levels[i].ways, levels[i].shared_by, lines / levels[i].ways, nullptr};
    levels_[i].places = from.take_array<cached_line*>(caches * lines);
    if (levels_[i].places == nullptr) return false;
  }
  return true;
}

std::uint32_t cache_hierarchy::access(cached_line& line, std::size_t unit, bool stores) {
  bool const from_memory = line.holders[last] == 0;  // which has what the levels above have
  std::uint32_t found = 0;
  while (found < cache_levels && (line.holders[found] & bit_of(cache_of(unit, found))) == 0) ++found;
  if (found < cache_levels) touch(line, {found, cache_of(unit, found)});
  for (std::size_t missed = found; missed-- > 0;) insert(line, {missed, cache_of(unit, missed)});
  if (found == in_other_caches && from_memory) found = in_memory;
  if (stores) invalidate_others(line, unit);
  return found;
}

cached_line** cache_hierarchy::set_of(place in, cached_line const& line) const {
  simulated_level const& l = levels_[in.level];
  return l.places + (in.cache * l.sets + line.number % l.sets) * l.ways;
}

void cache_hierarchy::touch(cached_line& line, place in) {
  cached_line** const set = set_of(in, line);
  if (*set == &line) return;
  cached_line** const at = std::find(set, set + levels_[in.level].ways, &line);
  std::rotate(set, at, at + 1);
}

void cache_hierarchy::insert(cached_line& line, place in) {
  cached_line** const set = set_of(in, line);
  cached_line** const end = set + levels_[in.level].ways;
  if (cached_line* const victim = end[-1]; victim != nullptr) {
    victim->holders[in.level] &= ~bit_of(in.cache);
    if (in.level == last) evict_below(*victim, in.cache);
  }
  std::move_backward(set, end - 1, end);
  *set = &line;
  line.holders[in.level] |= bit_of(in.cache);
}

void cache_hierarchy::remove(cached_line& line, place in) {
  cached_line** const set = set_of(in, line);
  cached_line** const end = set + levels_[in.level].ways;
  cached_line** const at = std::find(set, end, &line);
  std::move(at + 1, end, at);
  end[-1] = nullptr;
  line.holders[in.level] &= ~bit_of(in.cache);
}

void cache_hierarchy::remove_all(cached_line& line, std::size_t level, std::uint64_t caches) {
  for (std::uint64_t left = caches & line.holders[level]; left != 0; left &= left - 1)
    remove(line, {level, static_cast<std::size_t>(std::countr_zero(left))});
}

void cache_hierarchy::evict_below(cached_line& line, std::size_t last_level_cache) {
  for (std::size_t l = 0; l < last; ++l) {
    std::size_t const count = levels_[last].shared_by / levels_[l].shared_by;
    std::uint64_t const those = (count == 64 ? ~std::uint64_t{0} : bit_of(count) - 1) << (last_level_cache * count);
    remove_all(line, l, those);
  }
}

void cache_hierarchy::invalidate_others(cached_line& line, std::size_t unit) {
  for (std::size_t l = 0; l < cache_levels; ++l) remove_all(line, l, ~bit_of(cache_of(unit, l)));
}

}  // namespace ovlp::shared_memory
