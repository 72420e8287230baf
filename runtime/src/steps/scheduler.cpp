// SPDX-License-Identifier: BSD-3-Clause
#include "steps/scheduler.hpp"

#include <algorithm>
#include <iterator>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

namespace ovlp::OVLP_INLINE_CORE {

static constinit thread_local execution_thread* calling = nullptr;

execution_thread* scheduler::self() { return calling; }
void scheduler::set_self(execution_thread* self) { calling = self; }

void scheduler::set_limit(std::size_t number, std::size_t limit, bool some_wait) {
  std::vector<execution_thread*> woken;
  {
    scoped_lock const lock(mutex_);
    if (pools_.size() <= number) pools_.resize(number + 1);
    pools_[number].limit = limit;
    pools_[number].some_wait = some_wait;
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

inline void scheduler::touch_pool_of(dps_thread const& thread) {
  if (pools_[thread.pool()].some_wait) touch(part::admission, thread.manager().self(), thread.pool());
}

void scheduler::insert(dps_thread& thread) {
  touch_pool_of(thread);
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
#ifdef OVLP_ONE_THREAD
  if (chooses_) [[unlikely]] {
    if (chosen_ == nullptr) return nullptr;
    pool& from = pools_[chosen_->pool()];
    auto before = from.ready.before_begin();
    while (&*std::next(before) != chosen_) ++before;
    chosen_ = nullptr;
    return take(from, before);
  }
#endif
  pool* best = nullptr;
  for (pool& p : pools_) {
    if (p.ready.empty() || p.running >= p.limit) continue;
    if (best == nullptr || p.ready.front().arrival < best->ready.front().arrival) best = &p;
  }
  return best == nullptr ? nullptr : take(*best, best->ready.before_begin());
}

dps_thread* scheduler::take(pool& from, ready_queue::iterator before) {
  dps_thread* const taken = &*std::next(before);
  touch_pool_of(*taken);
  from.ready.erase_after(before);
  --waiting_;
  ++running_;
  ++from.running;
  return taken;
}

#ifdef OVLP_ONE_THREAD
void scheduler::add_candidates(std::vector<dps_thread*>& to) {
  auto const first = static_cast<std::ptrdiff_t>(to.size());
  scoped_lock const lock(mutex_);
  for (pool& p : pools_) {
    std::size_t room = p.limit - std::min(p.limit, p.running);
    for (auto thread = p.ready.begin(); room > 0 && thread != p.ready.end(); ++thread, --room) to.push_back(&*thread);
  }
  std::sort(to.begin() + first, to.end(), [](auto const* a, auto const* b) { return a->arrival < b->arrival; });
}
#endif

dps_thread* scheduler::next(execution_thread& self, dps_thread* finished, bool more) {
  execution_thread* woken = nullptr;
  dps_thread* picked = nullptr;
  {
    scoped_lock const lock(mutex_);
    if (finished != nullptr) {
      touch_pool_of(*finished);
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

std::string scheduler::broken_invariant() const {
  scoped_lock const lock(mutex_);
  std::size_t waiting = 0, running = 0;
  for (pool const& p : pools_) {
    waiting += p.ready.size();
    running += p.running;
  }
  if (waiting != waiting_)
    return "scheduler: " + std::to_string(waiting) + " DPS threads wait, and it has counted " +
           std::to_string(waiting_);
  if (running != running_)
    return "scheduler: " + std::to_string(running) + " DPS threads run, and it has counted " + std::to_string(running_);
  return "";
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
