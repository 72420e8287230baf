// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/flowgraph/object_type.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// An object or the state of a thread, in the memory of a node.
struct held_in_memory {
  object_type const& type;
  void const* object;
  std::uint32_t graph;      ///< of an object; the collection of a state
  std::uint32_t operation;  ///< that the object is for; result_operation, state_operation
  std::uint32_t thread;     ///< index of the one that the object is for, or whose state it is
};

/// Counts what a simulated node has in memory, where its platform says how much that may be.
class memory_watch {
 public:
  virtual ~memory_watch() = default;
  /// From now on this is on the node, under this key, and what was under the key before is not.
  virtual void hold(void const* key, node_id node, held_in_memory const& what) = 0;
  virtual void release(void const* key) = 0;
};

#ifdef OVLP_ONE_THREAD

/// Something is in the memory of a node while this lives. Its own address is the key.
class memory_claim {
 public:
  memory_claim() = default;
  memory_claim(memory_claim const&) = delete;
  memory_claim& operator=(memory_claim const&) = delete;
  ~memory_claim() { release(); }

  void hold(memory_watch& watch, node_id node, held_in_memory const& what) {
    watch_ = &watch;
    watch.hold(this, node, what);
  }
  void release() {
    if (watch_ != nullptr) [[unlikely]]
      std::exchange(watch_, nullptr)->release(this);
  }

 private:
  memory_watch* watch_ = nullptr;
};

#else

/// Memory of real nodes is counted by their systems.
class memory_claim {
 public:
  void hold(memory_watch&, node_id, held_in_memory const&) {}
  void release() {}
};

#endif

}  // namespace ovlp::OVLP_INLINE_CORE
