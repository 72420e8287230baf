// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include <ovlp/base/host.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "network.hpp"
#include "run_state.hpp"

namespace ovlp::real {

namespace {

/// What an operation has sent waits no longer than this for more of it.
constexpr std::chrono::microseconds soon{10};

failure no_thread(execution_thread& thread, std::exception const& why) {
  return network_failure(node_name(thread.manager().self()) + " cannot start an execution thread: " + explained(why));
}

}  // namespace

constinit thread_local world::worker* world::calling = nullptr;

world::world(reactor& reactor, std::size_t cores, bool may_poll)
    : reactor_(reactor), cores_(cores), may_poll_(may_poll) {}

world::~world() { join(); }

void world::join() {
  std::vector<std::thread> all;
  {
    scoped_lock const lock(mutex_);
    joining_ = true;
    changed_.notify_all();
    for (auto const& w : workers_) {
      if (w->os_thread.joinable()) all.push_back(std::move(w->os_thread));
    }
  }
  for (std::thread& thread : all) thread.join();
}

bool world::join_within(std::chrono::milliseconds patience) {
  {
    scoped_lock const lock(mutex_);
    joining_ = true;
    changed_.notify_all();
    auto const until = std::chrono::steady_clock::now() + patience;
    while (ended_ != started_) {
      if (changed_.wait_until(mutex_, until) == std::cv_status::timeout && ended_ != started_) return false;
    }
  }
  join();
  return true;
}

double world::now_s() { return base::monotonic_s() + clock_correction_s_.load(std::memory_order_relaxed); }

// CPU time, not wall time: another process on the same core does not make a step or a kernel longer.
double world::computed_s() {
  double const all_s = base::running_cpu_s();
  return calling == nullptr ? all_s : all_s - calling->idle_cpu_s;
}

/// While it lives, what an execution thread computes does not count as the runtime's own.
class world::aside {
 public:
  aside() : of_(calling != nullptr && calling->measures && !calling->idle ? calling : nullptr) {
    if (of_ != nullptr) start_s_ = base::running_cpu_s();
  }
  aside(aside const&) = delete;
  aside& operator=(aside const&) = delete;
  ~aside() {
    if (of_ != nullptr) of_->aside_s += base::running_cpu_s() - start_s_;
  }

 private:
  worker* const of_;
  double start_s_ = 0;
};

void world::start(execution_thread& thread) {
  auto made = std::make_unique<worker>();
  made->measures = thread.costs.on();
  if (costs_ == nullptr) costs_ = thread.manager().settings().costs;  // before there are others
  thread.world = made.get();
  ++running_;
  try {
    scoped_lock const lock(mutex_);
    workers_.reserve(workers_.size() + 1);
    made->os_thread = std::thread([this, &thread] {
      calling = static_cast<worker*>(thread.world);
      try {
        thread.enter();
        network_->flush();
      } catch (std::exception const& thrown) {  // no stack, or no memory
        network_->fail(no_thread(thread, thrown));
      }
      --running_;
      execution_thread_ended(thread.manager());
    });
    ++started_;
    workers_.push_back(std::move(made));
    notify_main();  // from now on it need not lead
  } catch (std::system_error const& thrown) {
    --running_;
    network_->fail(no_thread(thread, thrown));
  }
}

void world::execution_thread_ended(thread_manager& manager) {
  scoped_lock const lock(mutex_);
  ++ended_;
  changed_.notify_all();
  // Where one goes on, none ends without being joined. Until the main program comes to join, it may still add mail.
  while (ended_ != started_ || !joining_) changed_.wait(mutex_);
  if (!std::exchange(unwound_, true)) manager.unwind();
}

void world::idle(execution_thread& thread) {
  auto& self = *static_cast<worker*>(thread.world);
  double const start_s = self.measures ? base::running_cpu_s() : 0;
  network_->flush();
  self.flushed = true;
  self.idle = true;
  // Polling must not take a core from an operation.
  std::size_t const others = --running_;
  reactor_.wait(self.flag, may_poll_ && others + reactor_.pollers() < cores_);
  ++running_;
  self.idle = false;
  if (!self.measures) return;
  if (double const woken_at_s = std::exchange(self.woken_at_s, 0); woken_at_s > 0)
    thread.manager().settings().costs->add_wake(base::monotonic_s() - woken_at_s);
  self.idle_cpu_s += base::running_cpu_s() - start_s;
}

/// Whether it is an operation or the main program that has something for another thread, and not the reactor.
bool world::hands_over(worker const& to) const {
  if (calling != nullptr) return calling != &to && !calling->idle;
  return std::this_thread::get_id() == main_ && !main_blocked_;
}

void world::wake(execution_thread& thread) {
  worker& woken = *static_cast<worker*>(thread.world);
  if (woken.measures && hands_over(woken)) woken.woken_at_s = base::monotonic_s();
  reactor_.wake(woken.flag);
}

void world::call_ended() {
  if (costs_ != nullptr && main_blocked_) main_woken_at_s_ = base::monotonic_s();
  notify_main();
}

kernel_time world::kernel(kernel_call const& what) {
  if (calling != nullptr && !calling->flushed) {
    aside const counts;
    network_->flush();
    calling->flushed = true;
  }
  double const start_s = what.recorded ? computed_s() : 0;
  what.body();
  return {what.recorded ? computed_s() - start_s : 0};
}

void world::state_function(function_ref<void()> function) {
  aside const counts;
  function();
}

bool world::transmit(node_id, node_id to, envelope_ptr object) {
  aside const counts;
  return network_->send(to, std::make_unique<outgoing>(std::move(object)), when());
}
void world::transmit(node_id, node_id to, control const& message) {
  aside const counts;
  network_->send(to, std::make_unique<outgoing>(message), when());
}

/// What operations send goes together, when the execution thread begins a kernel or has nothing to run; at the latest
/// with the next object after a while, or when the reactor looks.
sending world::when() {
  worker* const self = calling;
  if (self == nullptr || self->idle) return sending::now;
  auto const now = std::chrono::steady_clock::now();
  bool const waits_long = !self->flushed && now - self->first_sent > soon;
  if (self->flushed || waits_long) self->first_sent = now;
  self->flushed = false;  // by what goes to one node, what waits for others is not
  return waits_long ? sending::now : sending::with_others;
}

void world::launch(node_id node) { network_->launch(node); }
void world::release(node_id node) { network_->release(node); }
void world::fail(failure const& what) { network_->fail(what); }

void world::block_main(std::function<bool()> const& done) {
  main_blocked_ = true;
  while (!done()) {
    if (has_threads()) {
      reactor_.sleep(main_wakes_);
    } else {
      reactor_.wait(main_wakes_, may_poll_);  // nobody else leads
    }
  }
  main_blocked_ = false;
  if (double const woken_at_s = main_woken_at_s_.exchange(0); woken_at_s > 0)
    costs_->add_wake(base::monotonic_s() - woken_at_s);
}

bool world::has_threads() {
  scoped_lock const lock(mutex_);
  return started_ > 0;
}

}  // namespace ovlp::real
