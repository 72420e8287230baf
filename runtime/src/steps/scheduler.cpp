// SPDX-License-Identifier: BSD-3-Clause
#include "steps/scheduler.hpp"

#include <algorithm>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>

namespace ovlp::OVLP_INLINE_CORE {

static constinit thread_local execution_thread* calling = nullptr;

execution_thread* scheduler::self() { return calling; }
void scheduler::set_self(execution_thread* self) { calling = self; }

void scheduler::set_limit(std::size_t number, std::size_t limit) {
  std::vector<execution_thread*> woken;
  {
    scoped_lock const lock(mutex_);
    if (pools_.size() <= number) pools_.resize(number + 1);
    pools_[number].limit = limit;
    while (execution_thread* const idle = take_idle()) woken.push_back(idle);
  }
  for (execution_thread* thread : woken) backend_->wake(*thread);
}

std::size_t scheduler::total_limit() const {
  scoped_lock const lock(mutex_);
  std::size_t total = 0;
  for (pool const& p : pools_) total += p.limit;
  return total;
}

void scheduler::insert(dps_thread& thread) {
  thread.arrival = ++arrivals_;
  ++waiting_;
  pools_[thread.pool()].ready.push_back(thread);
}

bool scheduler::can_run() const {
  return std::any_of(pools_.begin(), pools_.end(),
                     [](pool const& p) { return !p.ready.empty() && p.running < p.limit; });
}

execution_thread* scheduler::take_idle() {
  if (waiting_ == 0 || idle_.empty() || !can_run()) return nullptr;
  auto chosen = std::find(idle_.begin(), idle_.end(), calling);
  if (chosen == idle_.end()) --chosen;
  execution_thread* const woken = *chosen;
  idle_.erase(chosen);
  return woken;
}

void scheduler::enqueue(dps_thread& thread) {
  execution_thread* woken = nullptr;
  {
    scoped_lock const lock(mutex_);
    insert(thread);
    woken = take_idle();
  }
  if (woken != nullptr) backend_->wake(*woken);
}

dps_thread* scheduler::pick() {
  ready_queue* best = nullptr;
  for (pool& p : pools_) {
    if (p.ready.empty() || p.running >= p.limit) continue;
    if (best == nullptr || p.ready.front().arrival < best->front().arrival) best = &p.ready;
  }
  if (best == nullptr) return nullptr;
  dps_thread* const picked = &best->front();
  best->pop_front();
  --waiting_;
  ++running_;
  ++pools_[picked->pool()].running;
  return picked;
}

dps_thread* scheduler::next(execution_thread& self, dps_thread* finished, bool more) {
  execution_thread* woken = nullptr;
  dps_thread* picked = nullptr;
  {
    scoped_lock const lock(mutex_);
    if (finished != nullptr) {
      --running_;
      --pools_[finished->pool()].running;
      if (more) insert(*finished);
    }
    picked = pick();
    if (picked == nullptr && std::find(idle_.begin(), idle_.end(), &self) == idle_.end()) idle_.push_back(&self);
    woken = take_idle();
    if (woken == &self) woken = nullptr;  // cannot be: it has just found nothing
  }
  if (woken != nullptr) backend_->wake(*woken);
  return picked;
}

std::size_t scheduler::busy() const {
  scoped_lock const lock(mutex_);
  return waiting_ + running_;
}

void scheduler::wake_all() {
  std::vector<execution_thread*> all;
  {
    scoped_lock const lock(mutex_);
    all.swap(idle_);
  }
  for (execution_thread* t : all) backend_->wake(*t);
}

}  // namespace ovlp::OVLP_INLINE_CORE
