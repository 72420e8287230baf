// SPDX-License-Identifier: BSD-3-Clause
#include "reactor.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <system_error>

#include <boost/asio/post.hpp>

namespace ovlp::real {
namespace {

/// The context asks the system, which takes longer.
constexpr int looks_at_once = 32;
/// One after the other, before the context is asked all the same.
constexpr int most_looks_that_find = 32;
/// What the calling thread waits for: a handler that it runs itself needs no signal to wake it.
thread_local wake_flag* own_flag = nullptr;

int make_timer() {
  int const made = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (made < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return made;
}

class polling {
 public:
  explicit polling(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  polling(polling const&) = delete;
  polling& operator=(polling const&) = delete;
  ~polling() { --count_; }

 private:
  std::atomic<std::size_t>& count_;
};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

reactor::reactor(std::chrono::microseconds polling)
    : polling_(polling), work_(context_.get_executor()), poll_timer_(context_), timer_(make_timer()), watcher_([this] {
        watch();
      }) {
  arm_watch(watch_period);
}

reactor::~reactor() {
  stopping_ = true;
  disarm();
  arm_watch(watch_period);
  watcher_.join();
  ::close(timer_);
}

void reactor::arm_watch(std::chrono::microseconds period) {
  if (armed_for_.load() <= period) return;
  scoped_lock const lock(arming_);
  if (armed_for_.load() <= period) return;
  armed_for_ = period;
  itimerspec when{};
  when.it_value.tv_nsec = std::chrono::nanoseconds(period).count();
  ::timerfd_settime(timer_, 0, &when, nullptr);
}

void reactor::disarm() {
  scoped_lock const lock(arming_);
  armed_for_ = not_armed;
}

/// Whether something beside the context has come, within so many looks.
bool reactor::look(int times) {
  if (beside_ == nullptr) return false;
  if (looks_that_found_ == most_looks_that_find) {
    looks_that_found_ = 0;
    context_.poll_one();
    return true;
  }
  for (int i = 0; i < times; ++i) {
    if (!beside_->look()) continue;
    poll_pause_ = shortest_poll_pause;
    ++looks_that_found_;
    return true;
  }
  looks_that_found_ = 0;
  return false;
}

/// While it lives, nobody looks beside the context.
class reactor::sleeping {
 public:
  explicit sleeping(looked_at& beside) : beside_(beside), wakes_context_(beside.sleep()) {}
  sleeping(sleeping const&) = delete;
  sleeping& operator=(sleeping const&) = delete;
  ~sleeping() { beside_.awake(); }

  bool wakes_context() const { return wakes_context_; }

 private:
  looked_at& beside_;
  bool const wakes_context_;
};

std::size_t reactor::poll_one() {
  try {
    return look(looks_at_once) ? 1 : context_.poll_one();
  } catch (std::exception const& thrown) {
    if (!handle_error_) throw;
    handle_error_(thrown);
    return 1;
  }
}

void reactor::run_one() {
  try {
    if (look(1)) return;
    std::optional<sleeping> asleep;
    if (beside_ != nullptr) asleep.emplace(*beside_);
    if (asleep && asleep->wakes_context()) {
      if (look(1)) return;
    } else if (asleep) {
      if (context_.poll_one() > 0) {
        poll_pause_ = shortest_poll_pause;
        return;
      }
      arm_poll_timer();
    }
    context_.run_one();
  } catch (std::exception const& thrown) {
    if (!handle_error_) throw;
    handle_error_(thrown);
  }
}

void reactor::work_for(std::chrono::milliseconds longest) {
  auto const until = std::chrono::steady_clock::now() + longest;
  if (beside_ == nullptr) {
    context_.run_one_until(until);
    return;
  }
  if (look(1)) return;
  sleeping const asleep(*beside_);
  if (asleep.wakes_context()) {
    if (!look(1)) context_.run_one_until(until);
    return;
  }
  while (std::chrono::steady_clock::now() < until && context_.poll_one() == 0 && !look(1))
    std::this_thread::sleep_for(shortest_poll_pause);
}

/// The context is left again before long. (What Asio waits for by itself, it rounds to milliseconds.)
void reactor::arm_poll_timer() {
  if (poll_timer_armed_for_ <= poll_pause_) return;
  poll_timer_armed_for_ = poll_pause_;
  poll_timer_.expires_after(poll_pause_);
  poll_timer_.async_wait([this](boost::system::error_code replaced) {
    if (!replaced) poll_timer_armed_for_ = not_armed;
  });
  poll_pause_ = std::min(2 * poll_pause_, longest_poll_pause);
}

void reactor::do_also() {
  scoped_lock const lock(also_mutex_);
  try {
    if (also_) also_();
  } catch (std::exception const&) {  // for who leads
    boost::asio::post(context_, [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

void reactor::watch() {
  std::chrono::microseconds period = watch_period;
  while (!stopping_) {
    std::uint64_t expired = 0;
    if (::read(timer_, &expired, sizeof expired) < 0 && errno != EINTR) return;
    disarm();  // before the look: who stops leading from now on arms again
    do_also();
    std::unique_lock const lead(leading_, std::try_to_lock);
    if (!lead) {
      period = watch_period;
      continue;
    }
    bool found = false;
    auto const until = std::chrono::steady_clock::now() + longest_watch;
    while (poll_one() > 0 && !stopping_ && std::chrono::steady_clock::now() < until) found = true;
    period = found ? watch_period : std::min(2 * period, longest_watch_period);
    arm_watch(period);
  }
}

void reactor::wait(wake_flag& flag, bool may_poll) {
  own_flag = &flag;
  if (!flag.raised.load()) {
    std::unique_lock lead(leading_, std::try_to_lock);
    if (lead) {
      lead_until(flag, may_poll);
      lead.unlock();
      arm_watch(watch_period);
    } else {
      follow_until(flag, may_poll);
    }
  }
  flag.raised = false;
}

void reactor::run(std::function<void()> const& function) {
  auto const task = std::make_shared<std::packaged_task<void()>>(function);
  boost::asio::post(context_, [task] { (*task)(); });
  task->get_future().get();
}

void reactor::lead_until(wake_flag& flag, bool may_poll) {
  using clock = std::chrono::steady_clock;
  while (!flag.raised.load()) {
    if (may_poll) {
      polling const counted(pollers_);
      for (auto until = clock::now() + polling_; clock::now() < until;) {
        if (poll_one() > 0) until = clock::now() + polling_;
        if (flag.raised.load()) return;
      }
    }
    flag.in_reactor = true;  // before the last look at the flag: who raises it after that interrupts
    if (!flag.raised.load()) run_one();
    flag.in_reactor = false;
  }
}

void reactor::follow_until(wake_flag& flag, bool may_poll) {
  using clock = std::chrono::steady_clock;
  if (may_poll) {
    polling const counted(pollers_);
    for (auto const until = clock::now() + polling_; clock::now() < until;) {
      if (flag.raised.load()) return;
      pause();
    }
  }
  flag.raised.wait(false);
}

void reactor::wake(wake_flag& flag) {
  flag.raised = true;
  if (&flag == own_flag) return;
  if (flag.in_reactor) {
    boost::asio::post(context_, [] {});
  } else {
    flag.raised.notify_one();
  }
}

}  // namespace ovlp::real
