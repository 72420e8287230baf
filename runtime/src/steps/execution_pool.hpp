// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

/// The execution threads of a node: as many as operations of its collections may run at once.
/// Thread: any.
class execution_pool {
 public:
  explicit execution_pool(thread_manager& node);

  /// The scheduler's pool for threads of this collection.
  std::size_t pool_of(std::uint32_t collection) const;
  /// So many more DPS threads of the collection run here, or fewer, whatever the views say.
  void serve(std::uint32_t collection, std::ptrdiff_t more);
  std::vector<execution_thread*> all();

 private:
  thread_manager& node_;
  mutex mutex_;
  std::vector<std::ptrdiff_t> served_ OVLP_GUARDED_BY(mutex_);  ///< DPS threads, by collection
  std::vector<std::unique_ptr<execution_thread>> threads_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
