// SPDX-License-Identifier: BSD-3-Clause
#include "pair_table.hpp"

#include <utility>

namespace ovlp::net {

std::size_t pair_table::find(std::uint64_t key) const {
  std::size_t place = home(key);
  while (slots_[place].key != key && slots_[place].key != unused) place = next(place);
  return place;
}

std::uint32_t& pair_table::operator()(std::uint32_t source, std::uint32_t destination) {
  std::uint64_t const key = key_of(source, destination);
  std::size_t place = find(key);
  if (slots_[place].key == unused) {
    if (2 * ++used_ > slots_.size()) {
      grow();
      place = find(key);
    }
    slots_[place] = {key, none};
  }
  return slots_[place].number;
}

void pair_table::erase(std::uint32_t source, std::uint32_t destination) {
  std::size_t gap = find(key_of(source, destination));
  // What follows moves up into the gap, unless it would come to stand before its home.
  for (std::size_t place = next(gap); slots_[place].key != unused; place = next(place)) {
    std::size_t const mask = slots_.size() - 1;
    std::size_t const from_home = (place - home(slots_[place].key)) & mask;
    if (from_home < ((place - gap) & mask)) continue;
    slots_[gap] = slots_[place];
    gap = place;
  }
  slots_[gap] = {};
  --used_;
}

void pair_table::grow() {
  ++bits_;
  std::vector<slot> const old = std::exchange(slots_, std::vector<slot>(std::size_t{1} << bits_));
  for (slot const& moved : old) {
    if (moved.key != unused) slots_[find(moved.key)] = moved;
  }
}

}  // namespace ovlp::net
