// SPDX-License-Identifier: BSD-3-Clause
#include "steps/scheduler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

namespace ovlp::OVLP_INLINE_CORE {

static constinit thread_local execution_thread* calling = nullptr;

execution_thread* scheduler::self() { return calling; }
void scheduler::set_self(execution_thread* self) { calling = self; }

namespace {

/// Of a counter that one thread writes.
void count_one(shared<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace

scheduler::scheduler(backend& world, std::size_t pools, bool one_pool)
    : backend_(&world),
      pool_count_(pools),
      pools_(std::make_unique<pool[]>(pools)),
      counts_(!one_pool),
      first_(*this, nullptr),
      last_(&first_) {
  first_.next = &first_;
}

scheduler::~scheduler() {
  for (run_queue* q = first_.next; q != &first_;) delete std::exchange(q, q->next.load());
}

template <class Function>
void scheduler::for_each_queue(Function const& function) const {
  run_queue* q = first_.next;
  for (; q != &first_; q = q->next) function(*q);
  function(*q);
}

void scheduler::set_limit(std::size_t number, std::size_t limit, bool some_wait) {
  pool& of = pools_[number];
  ready_queue let_in;
  {
    scoped_lock const lock(of.mutex);
    of.limit = limit;
    of.some_wait = some_wait;
    let_in.swap(of.held);
    of.see_what_is_wanted();
  }
  while (!let_in.empty()) {  // to be held again, if there is no room
    dps_thread& thread = let_in.front();
    let_in.pop_front();
    push(queue_for(thread), thread);
    wake_one(nullptr);
  }
}

std::size_t scheduler::total_limit() {
  std::size_t total = 0;
  for (std::size_t i = 0; i < pool_count_; ++i) {
    scoped_lock const lock(pools_[i].mutex);
    total += pools_[i].limit;
  }
  return total;
}

void scheduler::add(execution_thread& thread) {
  scoped_lock const lock(mutex_);
  thread.queue = new run_queue(*this, &thread);
  thread.queue->next = &first_;
  last_->next = thread.queue;
  last_ = thread.queue;
}

inline void scheduler::touch_pool_of(dps_thread const& thread) {
  if (is_explored() && pool_of(thread).some_wait) touch(part::admission, thread.manager().self(), thread.pool());
}

// Queues

/// Of the calling execution thread, if it is of this node.
inline run_queue* scheduler::own_queue() const {
  return calling != nullptr && calling->queue->node == this ? calling->queue : nullptr;
}

inline run_queue& scheduler::queue_for(dps_thread const& thread) {
  run_queue* const last = thread.ran_in;
  if (last != nullptr && !last->idle.load(std::memory_order_relaxed)) return *last;
  if (run_queue* const own = own_queue()) return *own;
  return last != nullptr ? *last : first_;
}

/// Returns whether somebody may have to be woken: who goes idle after that will find the thread.
inline bool scheduler::push(run_queue& to, dps_thread& thread) {
  touch_pool_of(thread);
  scoped_lock const lock(to.mutex);
#ifdef OVLP_ONE_THREAD
  thread.arrival = ++arrivals_;
#endif
  to.ready.push_back(thread);
  to.size.store(to.size.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return idle_count_.load(std::memory_order_relaxed) > 0;
}

inline dps_thread* scheduler::pop(run_queue& from) {
  if (from.size.load(std::memory_order_relaxed) == 0) return nullptr;
  scoped_lock const lock(from.mutex);
  if (from.ready.empty()) return nullptr;
  dps_thread& oldest = from.ready.front();
  from.ready.pop_front();
  from.size.store(from.size.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return &oldest;
}

/// `room`: the pool in which the caller has kept some, or nullptr.
inline bool scheduler::admit(dps_thread& thread, pool*& room) {
  touch_pool_of(thread);
  if (!counts_) return true;
  pool& of = pool_of(thread);
  if (room == &of) {
    room = nullptr;
    return true;
  }
  scoped_lock const lock(of.mutex);
  bool const has_room = of.running < of.limit;
  if (has_room) ++of.running;
  else of.held.push_back(thread);
  of.see_what_is_wanted();
  return has_room;
}

/// Keeps its room, if nobody waits for that; else returns what goes on in its place.
inline dps_thread* scheduler::end_run(dps_thread& finished, pool*& room) {
  touch_pool_of(finished);
  if (!counts_) return nullptr;
  pool& of = pool_of(finished);
  if (of.wanted.load(std::memory_order_relaxed) || others_choose()) return leave(of);
  room = &of;
  return nullptr;
}

/// Returns what goes on in the place of who leaves, if the pool has held something.
dps_thread* scheduler::leave(pool& of) {
  scoped_lock const lock(of.mutex);
  dps_thread* held = nullptr;
  if (of.held.empty() || of.running > of.limit) {
    --of.running;
  } else {
    held = &of.held.front();
    of.held.pop_front();
  }
  of.see_what_is_wanted();
  return held;
}

/// Something else goes on. What has been held since the room was kept waits for its turn again.
void scheduler::give_up(pool& room, run_queue& own) {
  dps_thread* const held = leave(room);
  if (held == nullptr) return;
  {
    scoped_lock const lock(room.mutex);
    --room.running;
  }
  push(own, *held);
  wake_one(&own);
}

inline dps_thread* scheduler::take_from(run_queue& from, pool*& room) {
  for (;;) {
    dps_thread* const oldest = pop(from);
    if (oldest == nullptr || admit(*oldest, room)) return oldest;
  }
}

dps_thread* scheduler::take_from_others(run_queue& own, pool*& room) {
  for (run_queue* q = own.next; q != &own; q = q->next) {
    if (dps_thread* const found = take_from(*q, room)) return found;
  }
  return nullptr;
}

void scheduler::enqueue(dps_thread& thread) {
  // Before others can see it: what has left has entered.
  if (run_queue* const own = own_queue()) count_one(own->entered);
  else first_.entered.fetch_add(1);
  run_queue& to = queue_for(thread);
  if (push(to, thread)) wake_one(&to);
}

dps_thread* scheduler::next(execution_thread& self, dps_thread* finished, bool more) {
  run_queue& own = *self.queue;
  dps_thread* picked = nullptr;
  pool* room = nullptr;  // in which what has ended leaves some
  if (finished != nullptr) {
    picked = end_run(*finished, room);
    if (!more) {
      count_one(own.left);
    } else if (picked == nullptr && own.size.load(std::memory_order_relaxed) == 0 && !others_choose()) {
      if (admit(*finished, room)) return finished;  // it would be the only one in its queue
    } else if (push(own, *finished) && (picked != nullptr || own.size.load(std::memory_order_relaxed) > 1)) {
      wake_one(&own);
    }
  }
#ifdef OVLP_ONE_THREAD
  if (others_choose()) [[unlikely]]
    return take_chosen();
#endif
  while (picked == nullptr) {
    picked = take_from(own, room);
    if (picked == nullptr) picked = take_from_others(own, room);
    if (picked == nullptr && room != nullptr) picked = leave(*std::exchange(room, nullptr));
    if (picked == nullptr && stays_idle(own)) return nullptr;
  }
  if (room != nullptr) give_up(*room, own);
  picked->ran_in = &own;
  return picked;
}

// Who is idle

/// Whether nothing waits; if something does, and nobody has woken it yet, it is awake again.
bool scheduler::stays_idle(run_queue& own) {
  {
    scoped_lock const lock(mutex_);
    if (own.idle.load(std::memory_order_relaxed)) return true;
    own.idle = true;
    idle_.push_back(&own);
    idle_count_ = idle_.size();
  }
  // Once more, each with its mutex: who has pushed before that is seen, who pushes later sees who is idle.
  bool waits = false;
  for_each_queue([&](run_queue& q) {
    scoped_lock const lock(q.mutex);
    waits = waits || !q.ready.empty();
  });
  if (!waits) return true;
  scoped_lock const lock(mutex_);
  auto const at = std::find(idle_.begin(), idle_.end(), &own);
  if (at == idle_.end()) return true;  // it has been woken
  idle_.erase(at);
  idle_count_ = idle_.size();
  own.idle = false;
  return false;
}

execution_thread* scheduler::take_idle(run_queue const* preferred) {
  scoped_lock const lock(mutex_);
  if (idle_.empty()) return nullptr;
  run_queue* const own = own_queue();
  auto chosen = own == nullptr ? idle_.end() : std::find(idle_.begin(), idle_.end(), own);
  if (chosen == idle_.end() && preferred != nullptr) chosen = std::find(idle_.begin(), idle_.end(), preferred);
  if (chosen == idle_.end()) --chosen;
  run_queue& woken = **chosen;
  idle_.erase(chosen);
  idle_count_ = idle_.size();
  woken.idle = false;
  return woken.owner;
}

void scheduler::wake_one(run_queue const* preferred) {
  if (execution_thread* const woken = take_idle(preferred)) backend_->wake(*woken);
}

void scheduler::wake_all() {
  while (execution_thread* const woken = take_idle(nullptr)) backend_->wake(*woken);
}

// Accounts

/// Those that have left are read first: whoever entered before the second reading and is among them has left by the
/// first. So 0 means that there was a moment at which none was here.
std::size_t scheduler::busy() const {
  std::uint64_t left = 0, entered = 0;
  for_each_queue([&](run_queue const& q) { left += q.left.load(std::memory_order_acquire); });
  for_each_queue([&](run_queue const& q) { entered += q.entered.load(std::memory_order_acquire); });
  return entered - left;
}

std::string scheduler::broken_invariant() {
  std::size_t waiting = 0, running = 0;
  std::string wrong;
  for_each_queue([&](run_queue& q) {
    scoped_lock const lock(q.mutex);
    waiting += q.size;
    if (q.ready.size() != q.size) wrong = "scheduler: it has miscounted the DPS threads that wait in a queue";
  });
  for (std::size_t i = 0; i < pool_count_; ++i) {
    pool& p = pools_[i];
    scoped_lock const lock(p.mutex);
    waiting += p.held.size();
    running += p.running;
    if (!p.held.empty() && p.running < p.limit) wrong = "scheduler: a DPS thread is held, and its pool has room";
  }
  if (!wrong.empty()) return wrong;
  if (counts_ ? busy() != waiting + running : busy() < waiting)
    return "scheduler: " + std::to_string(waiting) + " DPS threads wait, " + std::to_string(running) +
           " run, and it has counted " + std::to_string(busy());
  return "";
}

#ifdef OVLP_ONE_THREAD
void scheduler::add_candidates(std::vector<dps_thread*>& to) {
  std::vector<dps_thread*> all;
  std::vector<std::size_t> room;
  for_each_queue([&](run_queue& q) {
    scoped_lock const lock(q.mutex);
    for (dps_thread& thread : q.ready) all.push_back(&thread);
  });
  for (std::size_t i = 0; i < pool_count_; ++i) {
    pool& p = pools_[i];
    scoped_lock const lock(p.mutex);
    for (dps_thread& thread : p.held) all.push_back(&thread);
    room.push_back(p.limit > p.running ? p.limit - p.running : 0);
  }
  std::sort(all.begin(), all.end(), [](auto const* a, auto const* b) { return a->arrival < b->arrival; });
  for (dps_thread* const thread : all) {
    if (room[thread->pool()] == 0) continue;
    --room[thread->pool()];
    to.push_back(thread);
  }
}

/// Wherever it waits.
dps_thread* scheduler::take_chosen() {
  dps_thread* const taken = std::exchange(chosen_, nullptr);
  if (taken == nullptr) return nullptr;
  auto const remove_from = [&](ready_queue& from) {
    for (auto before = from.before_begin(); std::next(before) != from.end(); ++before) {
      if (&*std::next(before) != taken) continue;
      from.erase_after(before);
      return true;
    }
    return false;
  };
  touch_pool_of(*taken);
  for_each_queue([&](run_queue& q) {
    scoped_lock const lock(q.mutex);
    if (remove_from(q.ready)) q.size = q.size - 1;
  });
  pool& of = pool_of(*taken);
  scoped_lock const lock(of.mutex);
  remove_from(of.held);
  ++of.running;
  return taken;
}
#endif

}  // namespace ovlp::OVLP_INLINE_CORE
