// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/accurate.hpp>

#include <algorithm>
#include <new>

#include <ovlp/instrument/address_space.hpp>

namespace ovlp::shared_memory {
namespace {

/// Bytes of a line from here on, as bits.
std::uint64_t mask_of(std::uint64_t first, std::uint64_t count) {
  return (count == line_bytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace

bool accurate_detector::build(std::array<cache_level, cache_levels> const& levels) {
  pages_ = static_cast<line***>(instrument::reserve(sizeof(line**) << (instrument::address_bits - page_bits)));
  return pages_ != nullptr && caches_.build(levels, memory_);
}

bool accurate_detector::access(std::uint32_t thread, memory_access const& what, counters& to) {
  ++to.of_thread[thread].accesses;
  std::uintptr_t const end = what.address + what.bytes;
  for (std::uintptr_t at = what.address; at < end;) {
    std::uintptr_t const next = std::min(end, (at | (line_bytes - 1)) + 1);
    line* const on = line_of(at >> line_bits);
    if (on == nullptr) return false;
    if (!access_line(thread, *on, mask_of(at % line_bytes, next - at), what.stores, to)) return false;
    at = next;
  }
  return true;
}

accurate_detector::line* accurate_detector::line_of(std::uint64_t number) {
  constexpr std::size_t lines_of_page = std::size_t{1} << (page_bits - line_bits);
  line**& page = pages_[number / lines_of_page];
  if (page == nullptr) page = memory_.take_array<line*>(lines_of_page);
  if (page == nullptr) return nullptr;
  line*& known = page[number % lines_of_page];
  if (known == nullptr) {
    void* const at = memory_.take(sizeof(line));
    if (at == nullptr) return nullptr;
    known = new (at) line{{number, {}}, 0, 0, 0, 0, nullptr};
  }
  return known;
}

bool accurate_detector::access_line(std::uint32_t thread, line& to, std::uint64_t bytes, bool stores,
                                    counters& counted) {
  std::uint32_t const found = caches_.access(to, counted.unit_of_thread[thread] % caches_.units(), stores);
  ++counted.of_thread[thread].found[found];
  if (found == in_memory) ++to.generation;
  bool const was_private = to.count == 1;
  accessor* const own = own_accessor(thread, to);
  if (own == nullptr) return false;
  if (was_private && to.count == 2)
    counted.of_thread[to.accessors[1].thread].private_accesses -= static_cast<std::int64_t>(to.accesses);
  if (own->generation != to.generation) *own = {0, to.generation, thread};
  own->bytes |= bytes;

  if (to.count == 1) {
    ++to.accesses;
    ++counted.of_thread[thread].private_accesses;
    return true;
  }
  for (accessor const* other = to.accessors + 1; other != to.accessors + to.count; ++other) {
    kind const what = other->generation != to.generation ? kind::temporal_false
                      : (other->bytes & bytes) != 0      ? kind::communication
                                                         : kind::spatial_false;
    ++counted.tables[static_cast<std::size_t>(what)][thread][other->thread + 1];
  }
  return true;
}

/// The first of the line's, then.
accurate_detector::accessor* accurate_detector::own_accessor(std::uint32_t thread, line& of) {
  accessor* const end = of.accessors + of.count;
  accessor* const found = std::find_if(of.accessors, end, [&](accessor const& one) { return one.thread == thread; });
  if (found != end) {
    std::rotate(of.accessors, found, found + 1);
    return of.accessors;
  }
  if (of.count == of.room) {
    std::uint32_t const room = std::max(2U, 2 * of.room);
    auto* const more = memory_.take_array<accessor>(room);
    if (more == nullptr) return nullptr;
    std::copy(of.accessors, end, more);
    of.accessors = more;
    of.room = room;
  }
  std::copy_backward(of.accessors, of.accessors + of.count, of.accessors + of.count + 1);
  ++of.count;
  of.accessors[0] = {0, of.generation, thread};
  return of.accessors;
}

}  // namespace ovlp::shared_memory
