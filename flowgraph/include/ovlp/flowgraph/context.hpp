// SPDX-License-Identifier: BSD-3-Clause
// The door between operations and whatever executes them. An application meets it only as `here`, `in` and `out`
// (operation.hpp), which put types on it; the runtime has one class behind it (execution), for both backends. A test
// may have another one, to call a body without an engine.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <ovlp/base/error.hpp>
#include <ovlp/base/held_nodes.hpp>
#include <ovlp/flowgraph/function_ref.hpp>
#include <ovlp/flowgraph/object_type.hpp>

namespace ovlp {

class collection_definition;
class graph_definition;
class mapping;

/// The sizes of a kernel call, e.g. {m, n, k}: what its duration depends on.
/// Shape: 0 to 6 integers. Durations for sizes of 0 or less are never interpolated, and models of platforms are for
///        sizes of 0 and more.
class kernel_sizes {
 public:
  static constexpr std::size_t most = 6;

  /// Errors: does not compile for more than six.
  template <std::integral... Integers>
  kernel_sizes(Integers... sizes)  // NOLINT(google-explicit-constructor): written as {m, n, k} at the call
      : count_(sizeof...(Integers)) {
    static_assert(sizeof...(Integers) <= most, "a kernel has at most six sizes");
    if constexpr (sizeof...(Integers) <= most) values_ = {static_cast<std::int64_t>(sizes)...};
  }

  /// In the order given. Valid as long as this object.
  std::span<std::int64_t const> values() const { return {values_.data(), count_}; }

 private:
  std::array<std::int64_t, most> values_{};
  std::size_t count_;
};

/// Whoever waits for the result of a call: an operation, or the main program through its engine.
class caller {
 public:
  caller(caller const&) = delete;
  caller& operator=(caller const&) = delete;

  /// Constructs the call's result at `result_storage`, which has room for that type. Blocks: until it is there.
  /// Errors: graph_error if the result has been taken; if the run has failed, what that throws. Then nothing is
  ///         constructed.
  virtual void finish_call(std::uint64_t call, object_type const& type, void* result_storage) = 0;

 protected:
  caller() = default;
  ~caller() = default;
};

/// What a running operation sees of whatever executes it. Users meet it through `here`, `in` and `out`.
///
/// An atomic step of an operation ends when it posts, waits, makes or awaits a call or asks for a change, and when it
/// ends; in a simulation that is when the step's time passes. Functions that say nothing of a step end none.
/// Thread: only the operation itself may call, from the OS thread that runs it; if another one ends a step or does a
///         kernel, it gets a graph_error.
/// Errors: when the run ends early, what ends a step or does a kernel throws a type that is no std::exception.
/// Source: the paper, section 3 (atomic steps).
class operation_context : public caller {
 public:
  /// The object that started a leaf or split. Valid until the operation ends.
  virtual void* input() = 0;
  /// Whether a closer of the groups that this split opens asks for what the split received; then it keeps a copy, by
  /// keep_input(), before it runs.
  virtual bool input_is_kept() const = 0;
  virtual void keep_input(std::shared_ptr<void const> copy) = 0;
  /// That copy, for the closer, which finds it in the thread where both run. Once.
  virtual std::shared_ptr<void const> opened() = 0;
  /// Ends the atomic step, then sends the object (moved from) out of the port. Blocks: at the port's window.
  /// Errors: graph_error for a discarded port, or a thread that is not there: nothing has been posted then.
  virtual void post(std::size_t port, object_type const& type, void* object) = 0;
  /// Ends the last atomic step of a leaf or merge and sends its result out of port 0, or to the caller of the graph.
  /// Errors: graph_error if a merge has not taken all objects.
  virtual void finish(object_type const& type, void* object) = 0;
  /// Ends the atomic step, then gives the next object of the group, or nullptr after the last one.
  /// The object is the operation's own and valid until the next wait(). Blocks: until one is there.
  virtual void* wait() = 0;
  /// Of the object that wait() gave last: its place in its group, and the port that this was posted on, counted among
  /// those that the closer closes.
  virtual std::size_t place() const = 0;
  virtual std::size_t closed_port() const = 0;
  /// Ends the atomic step and suspends until the condition holds; it is evaluated after steps of other operations
  /// in this DPS thread.
  virtual void wait_until(function_ref<bool()> condition) = 0;
  /// Calls the body, or charges an estimate, or both if it always runs; the work is part of the step. Does not block.
  virtual void kernel(std::string_view name, kernel_sizes const& sizes, function_ref<void()> body,
                      bool always_runs) = 0;
  /// This step reads or changes memory of that name, which other DPS threads see, too.
  virtual void shares(std::string_view memory) = 0;
  /// From 1. Errors: graph_error.
  virtual void set_iteration(std::int32_t iteration) = 0;
  /// Ends the atomic step and starts a call of a graph, with the object (moved from). Returns the call's number; the
  /// result is taken by finish_call, which blocks.
  virtual std::uint64_t begin_call(graph_definition const& graph, object_type const& type, void* object) = 0;
  /// Blocks: until every node uses the new number of threads.
  virtual void resize(collection_definition const& collection, std::size_t count) = 0;
  /// Blocks: until every thread has moved and every node knows.
  virtual void remap(collection_definition const& collection, mapping const& to) = 0;

  /// Blocks: until node 0 has decided. What follows, if something changes, ends with end_of_changes(); until then no
  /// other border is decided. Errors: graph_error for an iteration below 1.
  virtual std::optional<held_nodes> end_of_iteration(std::int32_t iteration) = 0;
  virtual void end_of_changes() = 0;

  virtual void* state() = 0;              ///< of the DPS thread, of its collection's type
  virtual std::size_t index() const = 0;  ///< of the DPS thread in its collection
  virtual std::size_t size() const = 0;   ///< of the collection, as this node knows it
  virtual std::size_t node() const = 0;   ///< on which the DPS thread is
  virtual double now_s() const = 0;       ///< since the run's start; in a simulation, when the step began

 protected:
  operation_context() = default;
  ~operation_context() = default;
};

namespace detail {

/// Errors: graph_error: `in`, `out` or `here` was used after its operation had ended.
[[noreturn, gnu::cold]] inline void refuse_ended_operation() {
  throw graph_error(
      "an 'in', 'out' or 'here' was used after its operation had ended: expected it to be used by the operation "
      "itself");
}

/// The operation's context, for one of its arguments. These are gone when the operation has ended; who has kept one
/// finds an error there, as long as that memory serves nothing else.
class context_pointer {
 public:
  explicit context_pointer(operation_context& of) : context_(&of) {}
  context_pointer(context_pointer const&) = delete;
  context_pointer& operator=(context_pointer const&) = delete;
  ~context_pointer() {
    context_ = nullptr;
    asm volatile("" : : "m"(context_));  // or the compiler drops what nobody may read
  }
  operation_context& operator*() const {
    if (context_ == nullptr) [[unlikely]]
      refuse_ended_operation();
    return *context_;
  }
  operation_context* operator->() const { return &**this; }

 private:
  operation_context* context_;
};

}  // namespace detail
}  // namespace ovlp
