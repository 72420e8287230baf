// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ovlp::sim {

/// When each of a fixed number of sources has its next event, the first in front. Sources are numbered from 0.
/// Cost: set and add O(log n), front O(1).
class event_heap {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  void add() {
    place_.push_back(heap_.size());
    time_.push_back(never);
    heap_.push_back(place_.size() - 1);
  }
  double next_s() const {
    if (heap_.empty()) return never;
    return time_[heap_.front()];
  }
  std::size_t front() const { return heap_.front(); }
  void set(std::size_t source, double time_s) {
    double const before = time_[source];
    time_[source] = time_s;
    if (time_s < before) {
      up(place_[source]);
    } else if (time_s > before) {
      down(place_[source]);
    }
  }

 private:
  bool less(std::size_t a, std::size_t b) const { return time_[a] != time_[b] ? time_[a] < time_[b] : a < b; }
  void put(std::size_t place, std::size_t source) {
    heap_[place] = source;
    place_[source] = place;
  }
  void up(std::size_t place) {
    std::size_t const source = heap_[place];
    for (; place > 0 && less(source, heap_[(place - 1) / 2]); place = (place - 1) / 2)
      put(place, heap_[(place - 1) / 2]);
    put(place, source);
  }
  void down(std::size_t place) {
    std::size_t const source = heap_[place];
    for (;;) {
      std::size_t child = 2 * place + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && less(heap_[child + 1], heap_[child])) ++child;
      if (!less(heap_[child], source)) break;
      put(place, heap_[child]);
      place = child;
    }
    put(place, source);
  }

  std::vector<double> time_;        // by source
  std::vector<std::size_t> place_;  // by source
  std::vector<std::size_t> heap_;   // sources
};

}  // namespace ovlp::sim
