// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>  // before Asio: GCC 12 wants it

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::real {

/// A flag that one thread waits for, sleeping in the reactor if it leads, and others set.
struct wake_flag {
  std::atomic<bool> raised{false};
  std::atomic<bool> in_reactor{false};  ///< its owner sleeps, or is about to, in the reactor
};

/// What whoever leads also looks at, beside the context: messages of which the system does not tell.
class looked_at {
 public:
  looked_at() = default;
  looked_at(looked_at const&) = delete;
  looked_at& operator=(looked_at const&) = delete;
  virtual ~looked_at() = default;

  /// Whether something has come, which is handled.
  virtual bool look() = 0;
  /// Nobody looks until awake(), except once more now. Returns whether what comes after that wakes the context; else
  /// it is left before long, for another look.
  virtual bool sleep() = 0;
  virtual void awake() = 0;
};

/// Runs the handlers of sockets, timers and pipes. At most one thread does at a time: it leads.
///
/// An idle execution thread leads: what arrives, it runs itself, without a hand-off. While nobody is idle, a thread
/// of the reactor's own looks every `watch_period`, and less and less often, down to every `longest_watch_period`, as
/// long as it finds nothing; so operations that only compute still let messages pass.
class reactor {
 public:
  static constexpr std::chrono::microseconds watch_period{500}, longest_watch_period{4000};
  /// While nothing comes, what cannot wake the context is looked at less and less often.
  static constexpr std::chrono::microseconds shortest_poll_pause{20}, longest_poll_pause{1000};
  /// The watching thread lets others lead after so long, even if there is always more to do.
  static constexpr std::chrono::microseconds longest_watch{2000};

  explicit reactor(std::chrono::microseconds polling);
  ~reactor();

  boost::asio::io_context& context() { return context_; }

  /// From now on whoever leads also looks at this; nullptr: at nothing else. Not while anybody leads.
  void look_at(looked_at* also) {
    leadership const alone = lead();  // the thread that watches may have found it taken
    beside_ = also;
  }
  /// Leads for so long, or until a handler has run. The caller leads already.
  void work_for(std::chrono::milliseconds longest);

  /// Waits for the flag and lowers it. Leads meanwhile, if nobody else does; polls at first if `may_poll`.
  void wait(wake_flag& flag, bool may_poll);
  /// Waits for the flag and lowers it; never leads.
  static void sleep(wake_flag& flag) {
    flag.raised.wait(false);
    flag.raised = false;
  }
  /// Threads that wait and still poll.
  std::size_t pollers() const { return pollers_; }
  /// Raises the flag and wakes its owner.
  void wake(wake_flag& flag);

  /// What the thread of its own also does whenever it looks.
  void when_looking(std::function<void()> also) {
    scoped_lock const lock(also_mutex_);
    also_ = std::move(also);
  }
  /// That thread looks within watch_period, whether anybody leads or not. Thread: any.
  void look_soon() { arm_watch(watch_period); }

  /// Runs a function as a handler, and waits for it. Not from a handler. Errors: what the function throws.
  void run(std::function<void()> const& function);
  /// What becomes of an exception that a handler throws: memory that ran out, most likely. Before the first handler.
  void on_error(std::function<void(std::exception const&)> handle) { handle_error_ = std::move(handle); }
  /// While it lives, handlers run in no other thread. Only when no execution thread waits: a leader that sleeps would
  /// not notice.
  class leadership {
   public:
    explicit leadership(reactor& led) : led_(led), lock_(led.leading_) {}
    leadership(leadership const&) = delete;
    leadership& operator=(leadership const&) = delete;
    ~leadership() {
      lock_.unlock();
      led_.arm_watch(watch_period);
    }

   private:
    reactor& led_;
    std::unique_lock<mutex> lock_;
  };
  [[nodiscard]] leadership lead() { return leadership(*this); }

 private:
  bool look(int times);
  class sleeping;
  void arm_poll_timer();
  void lead_until(wake_flag& flag, bool may_poll);
  void follow_until(wake_flag& flag, bool may_poll);
  std::size_t poll_one();
  void run_one();
  void watch();
  /// The watching thread looks within `period`. Cheap if it does anyway.
  void arm_watch(std::chrono::microseconds period);
  void disarm();
  void do_also();

  std::chrono::microseconds const polling_;
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer poll_timer_;
  static constexpr std::chrono::microseconds not_armed = std::chrono::microseconds::max();
  std::chrono::microseconds poll_timer_armed_for_ = not_armed;
  std::chrono::microseconds poll_pause_ = shortest_poll_pause;
  mutex leading_;    ///< held by the thread that leads; guards no data
  int const timer_;  // wakes the watching thread; cheaper to set than to wake a thread
  mutex arming_;     ///< held to set the timer and what is known of it
  std::atomic<std::chrono::microseconds> armed_for_{not_armed};
  std::atomic<std::size_t> pollers_{0};
  std::atomic<bool> stopping_{false};
  std::function<void(std::exception const&)> handle_error_;
  looked_at* beside_ = nullptr;
  int looks_that_found_ = 0;  ///< since the context was asked
  mutex also_mutex_;
  std::function<void()> also_ OVLP_GUARDED_BY(also_mutex_);
  std::thread watcher_;
};

}  // namespace ovlp::real
