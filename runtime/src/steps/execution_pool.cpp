// SPDX-License-Identifier: BSD-3-Clause
#include "steps/execution_pool.hpp"

#include <algorithm>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "steps/scheduler.hpp"

namespace ovlp::OVLP_INLINE_CORE {

execution_pool::execution_pool(thread_manager& node) : node_(node), served_(node.program().collections()) {}

std::size_t execution_pool::pool_of(std::uint32_t collection) const {
  return node_.settings().execution_threads > 0 ? 0 : collection;
}

void execution_pool::serve(std::uint32_t collection, std::ptrdiff_t more) {
  std::vector<execution_thread*> started;
  {
    scoped_lock const lock(mutex_);
    served_[collection] += more;
    std::size_t const shared = node_.settings().execution_threads;
    std::size_t const own = std::min(static_cast<std::size_t>(served_[collection]), node_.settings().cores);
    bool const some_wait = shared > 0 || own < static_cast<std::size_t>(served_[collection]);
    node_.scheduler().set_limit(pool_of(collection), shared > 0 ? shared : own, some_wait);
    while (threads_.size() < node_.scheduler().total_limit()) {
      threads_.push_back(std::make_unique<execution_thread>(node_, node_.common().loops()));
      node_.scheduler().add(*threads_.back());
      started.push_back(threads_.back().get());
    }
  }
  for (execution_thread* thread : started) node_.backend().start(*thread);
}

std::vector<execution_thread*> execution_pool::all() {
  scoped_lock const lock(mutex_);
  std::vector<execution_thread*> all;
  for (auto const& thread : threads_) all.push_back(thread.get());
  return all;
}

}  // namespace ovlp::OVLP_INLINE_CORE
