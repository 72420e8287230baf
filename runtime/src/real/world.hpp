// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "reactor.hpp"
#include "transport.hpp"

namespace ovlp::OVLP_INLINE_CORE {
class runtime_cost_collector;
class thread_manager;
}  // namespace ovlp::OVLP_INLINE_CORE

namespace ovlp::real {

class network;

/// The real backend of one node: execution threads are OS threads, time is the machine's, kernels run.
class world final : public backend {
 public:
  world(reactor& reactor, std::size_t cores, bool may_poll);
  ~world() override;

  /// Before anything is sent.
  void use(network& others) { network_ = &others; }
  /// Waits until all execution threads have returned; they must have been told to stop. One of them unwinds what is
  /// suspended. Thread: the main thread.
  void join();
  /// The same if they do so in time: an operation that goes on computing keeps its thread. Says whether.
  bool join_within(std::chrono::milliseconds patience);

  /// Blocks the main program until `done()`; re-evaluated whenever a call ends or notify_main is called.
  void block_main(std::function<bool()> const& done);
  void notify_main() { reactor_.wake(main_wakes_); }
  bool main_is_blocked() const { return main_blocked_; }

  double now_s() override;
  /// From now on now_s is so much more: the clock of another machine. Before anything else asks for it.
  void correct_clock(double more_s) { clock_correction_s_ = more_s; }
  double computed_s() override;
  double aside_s() override { return calling == nullptr ? 0 : calling->aside_s; }
  void start(execution_thread& thread) override;
  void idle(execution_thread& thread) override;
  void wake(execution_thread& thread) override;
  void end_step(step_end) override {}
  bool end_last_step(step_end) override { return true; }
  kernel_time kernel(kernel_call const& what) override;
  void state_function(function_ref<void()> function) override;
  bool transmit(node_id from, node_id to, envelope_ptr object) override;
  void transmit(node_id from, node_id to, control const& message) override;
  void launch(node_id node) override;
  void release(node_id node) override;
  void fail(failure const& what) override;
  void call_ended() override;

 private:
  struct worker {
    wake_flag flag;
    std::thread os_thread;
    bool idle = false;
    bool measures = false;  ///< the runtime's own cost is asked for: the next two are kept
    double idle_cpu_s = 0;  ///< that it took with nothing to run
    double aside_s = 0;
    double woken_at_s = 0;  ///< by another one, and what it does since then; 0: it has not been
    bool flushed = true;    ///< what it has sent is on its way
    std::chrono::steady_clock::time_point first_sent;  ///< of what is not
  };

  class aside;

  static sending when();

  void execution_thread_ended(thread_manager& manager);
  bool has_threads();

  static thread_local worker* calling;  ///< the calling OS thread's, if it is an execution thread
  bool hands_over(worker const& to) const;

  std::thread::id const main_ = std::this_thread::get_id();
  runtime_cost_collector* costs_ = nullptr;  ///< of the node, from the first start() on
  reactor& reactor_;
  std::size_t const cores_;
  bool const may_poll_;
  network* network_ = nullptr;
  mutex mutex_;
  std::vector<std::unique_ptr<worker>> workers_ OVLP_GUARDED_BY(mutex_);
  std::size_t started_ OVLP_GUARDED_BY(mutex_) = 0;
  std::size_t ended_ OVLP_GUARDED_BY(mutex_) = 0;
  bool joining_ OVLP_GUARDED_BY(mutex_) = false;  ///< the main program waits for them, or has
  bool unwound_ OVLP_GUARDED_BY(mutex_) = false;
  std::condition_variable_any changed_;
  std::atomic<std::size_t> running_{0};  ///< execution threads that are not idle

  wake_flag main_wakes_;
  std::atomic<bool> main_blocked_{false};
  std::atomic<double> main_woken_at_s_{0};  ///< as a worker's
  std::atomic<double> clock_correction_s_{0};
};

}  // namespace ovlp::real
