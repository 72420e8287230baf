// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ovlp::sim {

/// The objects from one node to another: at most so many in transfer at once, the others in order behind them.
/// Source: DESIGN.md, "Simulated time", 5.
class send_queue {
 public:
  /// Returns whether the object is to go now. `bound` 0: none.
  bool add(std::uint32_t object, std::size_t bound) {
    if (bound == 0 || under_way_ < bound) {
      ++under_way_;
      return true;
    }
    waiting_.push_back(object);
    return false;
  }
  /// One has arrived. Returns whether another is to go now: `next`.
  bool arrived(std::uint32_t& next) {
    --under_way_;
    if (waiting_.empty()) return false;
    next = waiting_.front();
    waiting_.pop_front();
    ++under_way_;
    return true;
  }

 private:
  std::size_t under_way_ = 0;
  std::deque<std::uint32_t> waiting_;
};

}  // namespace ovlp::sim
