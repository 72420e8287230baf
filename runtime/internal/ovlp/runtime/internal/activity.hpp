// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/signal_line.hpp>

namespace ovlp {

/// Which function of the program an OS thread runs, for others to see, who may be handlers of signals.
/// Thread: it is written by its own OS thread; others read it, and use only what was the same before and after.
/// Cost: some stores for each operation that begins or goes on, a count for each step: the time is the watcher's.
class activity {
 public:
  /// Of the calling OS thread. Never gone: when the thread ends, another one takes it.
  static activity& of_this_thread();

  /// A step begins of an operation, in a thread of a collection. The texts live until ends().
  void begins(operation_definition const& operation, std::string const& collection, std::uint32_t index, node_id node) {
    ends();
    be_in(collection, index, node);
    operation_.store(&operation, std::memory_order_release);
  }
  /// The same of a function of the program.
  void begins_function(char const* function, std::string const& collection, std::uint32_t index, node_id node) {
    be_in(collection, index, node);
    function_.store(function, std::memory_order_release);
  }
  /// The next step of the same operation.
  void next_step() {
    ends_kernel();
    // Of this OS thread alone: no other adds to it.
    steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void ends() { operation_.store(nullptr, std::memory_order_relaxed); }
  void ends_function() { function_.store(nullptr, std::memory_order_relaxed); }
  /// "leaf 'work' in workers[3] on node1": what the calling OS thread runs, if it runs something. Async-signal-safe.
  static bool name_here(signal_line& to);
  /// What all OS threads run, with commas; whether there is anything. Async-signal-safe.
  static bool name_all(signal_line& to);
  void begins_kernel(std::string_view name);
  void ends_kernel() { kernel_[0].store(0, std::memory_order_relaxed); }

  /// Of all OS threads: looks which are still in the step in which it saw them before, and names what has been in one
  /// for `long_step_s` on standard error; each operation once. Does not wait for standard error.
  static void watch();
  /// From now on SIGINT, SIGQUIT and SIGTERM name what has been in one step for a second, before they end the process
  /// as they would have; not where the program or who started it has said what they are to do.
  static void name_on_signals();

  static constexpr std::int64_t long_step_s = 10;

 private:
  activity() = default;
  struct seen;
  struct holder;
  bool read(seen& into) const;
  void be_in(std::string const& collection, std::uint32_t index, node_id node) {
    collection_.store(&collection, std::memory_order_relaxed);
    place_.store((std::uint64_t{node} << 32) | index, std::memory_order_relaxed);
    next_step();
  }
  static bool name_if(bool (*wanted)(activity const&), signal_line& to);
  static void handle(int signal);

  std::atomic<activity*> next_{nullptr};  ///< of all that there are
  std::atomic<bool> taken_{true};         ///< an OS thread has it
  std::atomic<int> thread_{0};            ///< its number
  std::atomic<std::uint64_t> steps_{0};   ///< that have begun
  std::atomic<operation_definition const*> operation_{nullptr};
  std::atomic<char const*> function_{nullptr};  ///< if it is neither: it runs nothing of the program
  std::atomic<std::string const*> collection_{nullptr};
  std::atomic<std::uint64_t> place_{0};  ///< the node in the upper half, the thread's index in the lower
  static constexpr std::size_t kernel_words = 4;
  std::array<std::atomic<std::uint64_t>, kernel_words> kernel_{};  ///< the name of a kernel that runs, or its beginning

  // Written by watch().
  std::atomic<std::uint64_t> watched_{0};  ///< the step that it saw last
  std::atomic<std::int64_t> since_ns_{0};  ///< when it saw it first
  std::atomic<bool> blocked_{false};       ///< whether the OS thread waited for something then; of steps of some time
};

}  // namespace ovlp
