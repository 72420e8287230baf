// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class execution;
class thread_manager;

/// Calls of graphs: made on this node by operations or the main program, and answered for others.
/// Thread: any.
class calls {
 public:
  explicit calls(thread_manager& node) : node_(node) {}

  /// Sends an object (moved from) into the graph. `origin`: the call of the main program within which this one is made.
  /// `caller`: the name of who makes it, if somebody asks for that.
  group_id begin(graph_definition const& graph, object_type const& type, void* object, std::size_t sender,
                 std::int32_t iteration, std::optional<group_id> origin = {}, std::uint64_t caller = 0);
  /// If not, who made the call is woken once it is: `waiter`, or without one the main program.
  /// Errors: graph_error if it has been taken already.
  bool result_there(group_id call, execution* waiter = nullptr);
  envelope_ptr take_result(group_id call);
  /// Calls without a result so far.
  std::size_t open();

  /// A call of whatever node has its result.
  void answer(envelope_ptr result);
  void handle_result(envelope_ptr result);

 private:
  struct record {
    envelope_ptr result;
    execution* waiter = nullptr;
  };

  thread_manager& node_;
  mutex mutex_;
  std::unordered_map<group_id, record> records_ OVLP_GUARDED_BY(mutex_);
  std::uint32_t made_ OVLP_GUARDED_BY(mutex_) = 0;  ///< by which routes in turn go
};

}  // namespace ovlp::OVLP_INLINE_CORE
