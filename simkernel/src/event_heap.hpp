// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "netmodel/src/heap.hpp"

namespace ovlp::sim {

/// When each of a fixed number of sources has its next event, the first in front. Sources are numbered from 0.
/// Cost: set and add O(log n), front O(1).
class event_heap {
  struct entry {
    double key;  // its time
    std::size_t source;
  };
  auto placed() {
    return [this](entry const& e, std::size_t place) { place_[e.source] = place; };
  }

 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  void add() {
    place_.push_back(0);
    heap_.push({never, place_.size() - 1}, placed());
  }
  double next_s() const {
    if (heap_.empty()) return never;
    return heap_.top().key;
  }
  std::size_t front() const { return heap_.top().source; }
  void set(std::size_t source, double time_s) { heap_.rekey(place_[source], time_s, placed()); }

 private:
  net::heap<entry> heap_;
  std::vector<std::size_t> place_;  // in the heap, by source
};

}  // namespace ovlp::sim
