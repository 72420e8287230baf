// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/support/host.hpp>

#include "network.hpp"
#include "run_state.hpp"

namespace ovlp::real {

namespace {

/// An operation that sends again so soon has probably more to send: until it computes, waits for long or ends.
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

double world::now_s() { return support::monotonic_s() + clock_correction_s_.load(std::memory_order_relaxed); }

// CPU time, not wall time: another process on the same core does not make a step or a kernel longer.
double world::computed_s() { return support::thread_cpu_s(); }

void world::start(execution_thread& thread) {
  auto made = std::make_unique<worker>();
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
  network_->flush();
  auto& self = *static_cast<worker*>(thread.world);
  self.idle = true;
  // Polling must not take a core from an operation.
  std::size_t const others = --running_;
  reactor_.wait(self.flag, may_poll_ && others + reactor_.pollers() < cores_);
  ++running_;
  self.idle = false;
}

void world::wake(execution_thread& thread) { reactor_.wake(static_cast<worker*>(thread.world)->flag); }

double world::kernel(kernel_call const& what) {
  network_->flush();
  double const start_s = what.recorded ? computed_s() : 0;  // a system call
  what.body();
  return what.recorded ? computed_s() - start_s : 0;
}

bool world::transmit(node_id, node_id to, envelope_ptr object) { return network_->send(to, std::move(object), when()); }
void world::transmit(node_id, node_id to, control const& message) { network_->send(to, message, when()); }

/// What operations send in quick succession goes together, when the execution thread begins a kernel or has nothing to
/// run; at the latest when the reactor looks.
sending world::when() {
  worker* const self = calling;
  if (self == nullptr || self->idle) return sending::now;
  auto const before = std::exchange(self->last_sent, std::chrono::steady_clock::now());
  return self->last_sent - before > soon ? sending::now : sending::with_others;
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
}

void world::notify_main() { reactor_.wake(main_wakes_); }

bool world::has_threads() {
  scoped_lock const lock(mutex_);
  return started_ > 0;
}

}  // namespace ovlp::real
