// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include "../execution_thread.hpp"
#include "../host.hpp"
#include "../thread_manager.hpp"

namespace ovlp::real {

world::world(reactor& reactor, std::size_t cores, bool may_poll)
    : reactor_(reactor), cores_(cores), may_poll_(may_poll) {}

world::~world() { join(); }

void world::join() {
  std::vector<std::thread> all;
  {
    std::scoped_lock const lock(workers_mutex_);
    for (auto const& w : workers_) {
      if (w->os_thread.joinable()) all.push_back(std::move(w->os_thread));
    }
  }
  for (std::thread& thread : all) thread.join();
}

bool world::join_within(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(workers_mutex_);
    if (!all_ended_.wait_for(lock, patience, [this] { return ended_ == started_; })) return false;
  }
  join();
  return true;
}

double world::now_s() { return monotonic_s(); }

// CPU time, not wall time: another process on the same core does not make a step or a kernel longer.
double world::computed_s() { return thread_cpu_s(); }

void world::start(execution_thread& thread) {
  auto made = std::make_unique<worker>();
  thread.world = made.get();
  ++running_;
  std::scoped_lock const lock(workers_mutex_);
  ++started_;
  made->os_thread = std::thread([this, &thread] {
    thread.enter();
    --running_;
    execution_thread_ended(thread.manager());
  });
  workers_.push_back(std::move(made));
}

void world::execution_thread_ended(thread_manager& manager) {
  std::scoped_lock const lock(workers_mutex_);
  if (++ended_ == started_) manager.unwind();
  all_ended_.notify_all();
}

void world::idle(execution_thread& thread) {
  // Polling must not take a core from an operation.
  std::size_t const others = --running_;
  reactor_.wait(static_cast<worker*>(thread.world)->flag, may_poll_ && others + reactor_.pollers() < cores_);
  ++running_;
}

void world::wake(execution_thread& thread) { reactor_.wake(static_cast<worker*>(thread.world)->flag); }

double world::kernel(execution&, kernel_call const& what) {
  double const start_s = computed_s();
  what.body();
  return computed_s() - start_s;
}

bool world::transmit(node_id, node_id to, envelope_ptr object) { return network_->send(to, std::move(object)); }
void world::transmit(node_id, node_id to, control const& message) { network_->send(to, message); }
void world::launch(node_id node) { network_->launch(node); }
void world::release(node_id node) { network_->release(node); }
void world::fail(failure const& what) { network_->fail(what); }

void world::block_main(std::function<bool()> const& done) {
  std::unique_lock lock(main_mutex_);
  main_blocked_ = true;
  main_wakes_.wait(lock, done);
  main_blocked_ = false;
}

void world::notify_main() {
  { std::scoped_lock const lock(main_mutex_); }
  main_wakes_.notify_all();
}

}  // namespace ovlp::real
