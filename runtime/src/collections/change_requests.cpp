// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/change_requests.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "exchange/group_table.hpp"
#include "exchange/outbox.hpp"

namespace ovlp::OVLP_INLINE_CORE {

std::uint64_t change_requests::resize(collection_definition const& collection, std::size_t count) {
  std::uint32_t const number = node_.program().number_of(collection);
  if (count == 0) throw config_error("resize of '" + collection.name + "': expected at least one thread");
  if (count > mapping::most_threads) {
    throw config_error("resize of '" + collection.name + "': expected at most " +
                       std::to_string(mapping::most_threads) + " threads, got " + std::to_string(count));
  }
  return ask(change_request{node_.groups().number(), number, count, {}});
}

std::uint64_t change_requests::remap(collection_definition const& collection, mapping const& to) {
  std::uint32_t const number = node_.program().number_of(collection);
  std::vector<node_id> nodes = to.resolve(node_.settings().nodes, collection.name);
  if (!collection.state.empty && collection.state.type == nullptr) {
    throw config_error("remap of '" + collection.name +
                       "': the state of its threads is not a data object and cannot move");
  }
  return ask(change_request{node_.groups().number(), number, 0, std::move(nodes)});
}

std::uint64_t change_requests::border(std::int32_t iteration, std::uint64_t call) {
  if (iteration < 1) throw graph_error("iterations are numbered from 1; got " + std::to_string(iteration));
  return ask(border_request{node_.groups().number(), iteration, call});
}

void change_requests::end_of_changes() { node_.outbox().tell(0, border_done{}); }

template <class Request>
std::uint64_t change_requests::ask(Request wanted) {
  {
    scoped_lock const lock(mutex_);
    requests_.emplace(wanted.request, request{});
  }
  node_.outbox().tell(0, wanted);
  return wanted.request;
}

bool change_requests::done(std::uint64_t number, execution* waiter, std::optional<held_nodes>* hold) {
  scoped_lock const lock(mutex_);
  auto const found = requests_.find(number);
  if (!found->second.done) {
    found->second.waiter = waiter;
    return false;
  }
  std::string const error = std::move(found->second.error);
  if (hold != nullptr) *hold = std::move(found->second.hold);
  requests_.erase(found);
  if (!error.empty()) throw config_error(error);
  return true;
}

void change_requests::answered(std::uint64_t number, request with) {
  {
    scoped_lock const lock(mutex_);
    request& asked = requests_.at(number);
    std::swap(asked, with);
    asked.done = true;
  }
  touch(part::whole_node, node_.self());
  node_.wake_caller(with.waiter);
}

void change_requests::handle_change_done(change_done const& message) {
  answered(message.request, {.error = message.error});
}

void change_requests::handle_border_answer(border_answer const& message) {
  answered(message.request,
           {.error = message.error, .hold = message.changes ? std::optional(message.hold) : std::nullopt});
}

std::size_t change_requests::open() {
  scoped_lock const lock(mutex_);
  auto const all = std::ranges::count_if(requests_, [](auto const& asked) { return !asked.second.done; });
  return static_cast<std::size_t>(all);
}

}  // namespace ovlp::OVLP_INLINE_CORE
