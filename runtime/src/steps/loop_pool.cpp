// SPDX-License-Identifier: BSD-3-Clause
#include "steps/loop_pool.hpp"

#include <utility>

#include <ovlp/runtime/internal/execution_thread.hpp>

namespace ovlp::OVLP_INLINE_CORE {

// The host is asked for anew each turn: on top of a turn an operation may have gone to another execution thread.
loop_fiber::loop_fiber(std::size_t stack_bytes)
    : fiber(stack_bytes, [this] {
        for (;;) host->turn();
      }) {}

loop_fiber& loop_pool::take() {
  {
    scoped_lock const lock(mutex_);
    if (!unused_.empty()) {
      loop_fiber& taken = *unused_.back();
      unused_.pop_back();
      return taken;
    }
  }
  auto made = std::make_unique<loop_fiber>(stack_bytes_);
  scoped_lock const lock(mutex_);
  unused_.reserve(all_.size() + 1);  // so that give() needs no memory
  all_.push_back(std::move(made));
  return *all_.back();
}

void loop_pool::give(loop_fiber& unused) {
  scoped_lock const lock(mutex_);
  unused_.push_back(&unused);
}

}  // namespace ovlp::OVLP_INLINE_CORE
