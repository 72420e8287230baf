// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ovlp::base {

/// A binary heap, the first entry on top, whose owner knows where each entry is: `placed(entry, position)` is called
/// whenever one gets a position, so that any can be erased or get another key. Entries are in the order of their `key`;
/// their operator< says what is first among those of one key.
template <class Entry>
class heap {
 public:
  bool empty() const { return entries_.empty(); }
  Entry const& top() const { return entries_.front(); }
  Entry const& operator[](std::size_t position) const { return entries_[position]; }

  /// Where the entries are whose key is `key` or less, which are a tree on top; in `positions`, whatever it held.
  void find_up_to(double key, std::vector<std::size_t>& positions) const {
    positions.clear();
    if (entries_.empty() || !(entries_.front().key <= key)) return;
    positions.push_back(0);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t child = 2 * positions[i] + 1; child < std::min(2 * positions[i] + 3, entries_.size()); ++child) {
        if (entries_[child].key <= key) positions.push_back(child);
      }
    }
  }

  void push(Entry const& entry, auto&& placed) {
    entries_.push_back(entry);
    rise(entries_.size() - 1, entry, placed);
  }

  void erase(std::size_t position, auto&& placed) {
    Entry const last = entries_.back();
    entries_.pop_back();
    if (position < entries_.size()) put(position, last, placed);
  }

  void rekey(std::size_t position, double key, auto&& placed) {
    Entry entry = entries_[position];
    entry.key = key;
    put(position, entry, placed);
  }

 private:
  /// The entry replaces the one at the position.
  void put(std::size_t position, Entry const& entry, auto&& placed) {
    if (position > 0 && entry < entries_[(position - 1) / 2]) {
      rise(position, entry, placed);
    } else {
      sink(position, entry, placed);
    }
  }

  void rise(std::size_t position, Entry const& entry, auto&& placed) {
    while (position > 0) {
      std::size_t const parent = (position - 1) / 2;
      if (!(entry < entries_[parent])) break;
      set(position, entries_[parent], placed);
      position = parent;
    }
    set(position, entry, placed);
  }

  void sink(std::size_t position, Entry const& entry, auto&& placed) {
    for (;;) {
      std::size_t child = 2 * position + 1;
      if (child >= entries_.size()) break;
      if (child + 1 < entries_.size() && entries_[child + 1] < entries_[child]) ++child;
      if (!(entries_[child] < entry)) break;
      set(position, entries_[child], placed);
      position = child;
    }
    set(position, entry, placed);
  }

  void set(std::size_t position, Entry const& entry, auto&& placed) {
    entries_[position] = entry;
    placed(entry, position);
  }

  std::vector<Entry> entries_;
};

}  // namespace ovlp::base
