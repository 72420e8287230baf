// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// Events that are handled one after another, in the order in which they were put in, by one owner at a time: whoever
/// puts one in while there is no owner, until none is left. What handles them needs no lock of its own, holds none, and
/// may put further events in, which are handled after this one.
/// Thread: any.
template <class Event>
class inbox {
 public:
  /// `handle(Event&)`: called here, or by the owner, with its own.
  template <class Handle>
  void put(Event event, Handle const& handle) {
    {
      scoped_lock const lock(mutex_);
      waiting_.push_back(std::move(event));
      if (std::exchange(owned_, true)) return;
    }
    std::vector<Event> now;
    try {
      while (take(now)) {
        for (Event& one : now) handle(one);
      }
    } catch (...) {
      give_up();
      throw;
    }
  }

  /// Calls the function, unless events are in hand; none is handled meanwhile. Returns whether it was called.
  template <class Function>
  bool when_idle(Function const& look) {
    scoped_lock const lock(mutex_);
    if (!owned_) look();
    return !owned_;
  }

 private:
  bool take(std::vector<Event>& now) {
    now.clear();
    scoped_lock const lock(mutex_);
    now.swap(waiting_);
    return owned_ = !now.empty();
  }
  void give_up() {
    scoped_lock const lock(mutex_);
    owned_ = false;
  }

  mutex mutex_;
  std::vector<Event> waiting_ OVLP_GUARDED_BY(mutex_);
  bool owned_ OVLP_GUARDED_BY(mutex_) = false;
};

}  // namespace ovlp::OVLP_INLINE_CORE
