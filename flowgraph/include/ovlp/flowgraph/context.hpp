// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <ovlp/flowgraph/function_ref.hpp>
#include <ovlp/flowgraph/object_type.hpp>

namespace ovlp {

class collection_definition;
class graph_definition;
class mapping;

/// The sizes of a kernel call, e.g. {m, n, k}: what its duration depends on.
/// Shape: at most 6 integers, none negative.
class kernel_sizes {
 public:
  static constexpr std::size_t most = 6;

  template <std::integral... Integers>
  kernel_sizes(Integers... sizes)  // NOLINT(google-explicit-constructor): written as {m, n, k} at the call
      : count_(sizeof...(Integers)) {
    static_assert(sizeof...(Integers) <= most, "a kernel has at most six sizes");
    if constexpr (sizeof...(Integers) <= most) values_ = {static_cast<std::int64_t>(sizes)...};
  }

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

  /// Constructs the call's result at `result_storage`. Blocks: until it is there.
  virtual void finish_call(std::uint64_t call, object_type const& type, void* result_storage) = 0;

 protected:
  caller() = default;
  ~caller() = default;
};

/// What a running operation sees of whatever executes it. Users meet it through `here`, `in` and `out`.
/// Thread: only the operation itself may call, from the OS thread that runs it; else the run aborts with a message.
class operation_context : public caller {
 public:
  /// The object that started a leaf or split. Valid until the operation ends.
  virtual void* input() = 0;
  /// Whether a closer of the groups that this split opens asks for what the split received; then it keeps a copy.
  virtual bool input_is_kept() const = 0;
  virtual void keep_input(std::shared_ptr<void const> copy) = 0;
  /// That copy, for the closer.
  virtual std::shared_ptr<void const> opened() = 0;
  /// Ends the atomic step, then sends the object (moved from) out of the port. Blocks: at the port's window.
  virtual void post(std::size_t port, object_type const& type, void* object) = 0;
  /// Ends the last atomic step of a leaf or merge and sends its result out of port 0.
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
  virtual void kernel(std::string_view name, kernel_sizes const& sizes, function_ref<void()> body) = 0;
  virtual void set_iteration(std::int32_t iteration) = 0;
  /// Starts a call of a graph; the result is taken by finish_call, which blocks.
  virtual std::uint64_t begin_call(graph_definition const& graph, object_type const& type, void* object) = 0;
  /// Blocks: until every node uses the new number of threads.
  virtual void resize(collection_definition const& collection, std::size_t count) = 0;
  /// Blocks: until every thread has moved and every node knows.
  virtual void remap(collection_definition const& collection, mapping const& to) = 0;

  virtual void* state() = 0;
  virtual std::size_t index() const = 0;
  virtual std::size_t size() const = 0;
  virtual std::size_t node() const = 0;

 protected:
  operation_context() = default;
  ~operation_context() = default;
};

}  // namespace ovlp
