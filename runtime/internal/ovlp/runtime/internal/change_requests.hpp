// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class execution;
class thread_manager;

/// What somebody on this node has asked node 0 for, and waits for: changes of collections, and borders.
/// Thread: any.
class change_requests {
 public:
  explicit change_requests(thread_manager& node) : node_(node) {}

  // The number of the request. Errors: config_error, graph_error.
  std::uint64_t resize(collection_definition const& collection, std::size_t count);
  std::uint64_t remap(collection_definition const& collection, mapping const& to);
  std::uint64_t border(std::int32_t iteration, std::uint64_t call);
  /// What the answer to a border has changed is done.
  void end_of_changes();

  /// Whether it is done. If not, who asked is woken once it is: `waiter`, or without one the main program. `hold`: of a
  /// border, what it was answered. Errors: config_error if it was refused.
  bool done(std::uint64_t number, execution* waiter, std::optional<held_nodes>* hold = nullptr);
  /// That are not done.
  std::size_t open();

  void handle_change_done(change_done const& message);
  void handle_border_answer(border_answer const& message);

 private:
  struct request {
    bool done = false;
    std::string error = {};
    std::optional<held_nodes> hold = {};
    execution* waiter = nullptr;
  };
  template <class Request>
  std::uint64_t ask(Request wanted);
  void answered(std::uint64_t number, request with);

  thread_manager& node_;
  mutex mutex_;
  std::map<std::uint64_t, request> requests_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
