// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/calls.hpp>

#include <algorithm>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "exchange/delivery.hpp"
#include "exchange/group_table.hpp"

namespace ovlp::OVLP_INLINE_CORE {

group_id calls::begin(graph_definition const& graph, object_type const& type, void* object, std::size_t sender,
                      std::int32_t iteration, std::optional<group_id> origin, std::uint64_t caller) {
  std::uint32_t const number = node_.program().number_of(graph);
  group_id const call = node_.groups().number(caller);
  tell_call(call);
  std::uint32_t place = 0;
  {
    scoped_lock const lock(mutex_);
    records_.emplace(call, record{});
    place = made_++;
  }
  touch(part::calls, node_.self());
  frame const of_call = call_frame(call, origin.value_or(call), static_cast<std::uint32_t>(sender), iteration);
  envelope_ptr made = envelope::make(type, object, {}, of_call);
  made->graph = number;
  made->operation = static_cast<std::uint32_t>(graph.entry->target);
  made->iteration = iteration;
  try {
    node_.delivery().send(*graph.entry, std::move(made), sender, place, nullptr);
  } catch (graph_error const&) {
    scoped_lock const lock(mutex_);
    records_.erase(call);
    throw;
  }
  return call;
}

bool calls::result_there(group_id call, execution* waiter) {
  touch(part::calls, node_.self());
  scoped_lock const lock(mutex_);
  auto const found = records_.find(call);
  if (found == records_.end()) throw graph_error("the result of call " + group_name(call) + " has been taken already");
  if (found->second.result) return true;
  found->second.waiter = waiter;
  return false;
}

envelope_ptr calls::take_result(group_id call) {
  touch(part::calls, node_.self());
  scoped_lock const lock(mutex_);
  auto const found = records_.find(call);
  envelope_ptr result = std::move(found->second.result);
  records_.erase(found);
  return result;
}

std::size_t calls::open() {
  scoped_lock const lock(mutex_);
  auto const all =
      std::count_if(records_.begin(), records_.end(), [](auto const& call) { return call.second.result == nullptr; });
  return static_cast<std::size_t>(all);
}

void calls::answer(envelope_ptr result) {
  node_id const caller = node_of_group(result->innermost().group);
  if (caller == node_.self()) {
    node_.hold(*result);
    handle_result(std::move(result));
  } else {
    node_.delivery().send_to(caller, std::move(result));
  }
}

void calls::handle_result(envelope_ptr result) {
  touch(part::calls, node_.self());
  group_id const call = result->innermost().group;
  execution* waiter = nullptr;
  {
    scoped_lock const lock(mutex_);
    auto const found = records_.find(call);
    if (found == records_.end()) return;
    found->second.result = std::move(result);
    waiter = std::exchange(found->second.waiter, nullptr);
  }
  node_.wake_caller(waiter);
}

}  // namespace ovlp::OVLP_INLINE_CORE
