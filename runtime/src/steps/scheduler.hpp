// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/intrusive/slist.hpp>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "steps/dps_thread.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class backend;
class execution_thread;
class scheduler;

/// First in, first out.
using ready_queue = boost::intrusive::slist<
    dps_thread,
    boost::intrusive::member_hook<dps_thread, decltype(dps_thread::in_ready_queue), &dps_thread::in_ready_queue>,
    boost::intrusive::constant_time_size<false>, boost::intrusive::cache_last<true>>;

/// DPS threads that wait for an execution thread, where that looks first.
struct alignas(apart_bytes) run_queue {
  run_queue(scheduler& in, execution_thread* of) : node(&in), owner(of) {}

  scheduler const* const node;
  execution_thread* const owner;     ///< nullptr: of those that none has run yet
  shared<run_queue*> next{nullptr};  ///< all of the node stand in a ring
  spin_mutex mutex;
  ready_queue ready OVLP_GUARDED_BY(mutex);
  shared<std::size_t> size{0};  ///< written with the mutex held
  shared<bool> idle{false};     ///< its owner is; written with the scheduler's mutex held
  // DPS threads that have begun to wait, and have ended to run without more, by the owner's doing. Written by the
  // owner alone; those of no owner by all others.
  alignas(apart_bytes) shared<std::uint64_t> entered{0};
  shared<std::uint64_t> left{0};
};

/// Admission, and which DPS thread of a node runs next, on which execution thread. The same code in both backends.
///
/// *Admission.* Each collection has a pool: at most `limit` of its operations run at once. One whose pool is full is
/// held; who ends an operation of that pool goes on with the one that has been held for longest. Where nothing is held,
/// who ends one keeps its room for the next of that pool, which costs no mutex. Where all collections share one pool,
/// it has as many execution threads as its limit, and nothing is counted.
///
/// *The picking rule.* A DPS thread waits in the queue of the execution thread that ran it last, if that is awake, else
/// in that of who makes it ready. An execution thread takes the oldest of its own queue; if that is empty, the oldest
/// of the next one's that is not, round about. An idle one is woken when something begins to wait.
///
/// Any execution thread runs any DPS thread, and goes on with operations that another has suspended; there are as many
/// as the limits add up to, so what has room finds one. Thread: any.
class scheduler {
 public:
  /// `one_pool`: all collections share the first.
  scheduler(backend& world, std::size_t pools, bool one_pool);
  ~scheduler();

  /// How many operations of this pool may run at once, and whether it has more DPS threads than that. Pools are
  /// numbered from 0.
  void set_limit(std::size_t pool, std::size_t limit, bool some_wait);
  std::size_t total_limit();
  /// From now on it may ask what is next.
  void add(execution_thread& thread);

  /// The DPS thread has something to run.
  void enqueue(dps_thread& thread);
  /// What `self` runs next; `finished` is what it ran last and `more` whether that has more to run. nullptr: nothing,
  /// and `self` counts as idle until the backend is told to wake it.
  dps_thread* next(execution_thread& self, dps_thread* finished, bool more);

#ifdef OVLP_ONE_THREAD
  // Where somebody else chooses, in the place of the picking rule (explore/).
  /// From now on next() gives what choose() has said, once, and else nothing. Before anything runs.
  void let_choose() { chooses_ = counts_ = true; }
  /// Appends those that may run next, in order of arrival: of each pool as many as it has room for.
  void add_candidates(std::vector<dps_thread*>& to);
  void choose(dps_thread& candidate) { chosen_ = &candidate; }
#endif

  /// DPS threads that wait or run: 0 means that the node is passive.
  std::size_t busy() const;
  void wake_all();
  /// What should always hold and does not; empty: all does. When nothing runs at the same time.
  std::string broken_invariant();

  /// The execution thread that the calling OS thread is, or nullptr. If it is idle, it is the one to prefer when
  /// something is to run. Not inlined: an operation goes on in another OS thread after a switch.
  [[gnu::noinline]] static execution_thread* self();
  static void set_self(execution_thread* self);

 private:
  struct pool {
    spin_mutex mutex;
    std::size_t limit OVLP_GUARDED_BY(mutex) = 0;
    std::size_t running OVLP_GUARDED_BY(mutex) = 0;
    ready_queue held OVLP_GUARDED_BY(mutex);  ///< for which there was no room
    shared<bool> wanted{false};               ///< something is held, or more run than may: no room may be kept
    shared<bool> some_wait{false};

    void see_what_is_wanted() OVLP_REQUIRES(mutex) {
      wanted.store(!held.empty() || running > limit, std::memory_order_relaxed);
    }
  };
  bool others_choose() const {
#ifdef OVLP_ONE_THREAD
    return chooses_;
#else
    return false;
#endif
  }
  pool& pool_of(dps_thread const& thread) { return pools_[thread.pool()]; }
  template <class Function>
  void for_each_queue(Function const& function) const;
  void touch_pool_of(dps_thread const& thread);
  run_queue* own_queue() const;
  run_queue& queue_for(dps_thread const& thread);
  bool push(run_queue& to, dps_thread& thread);
  dps_thread* pop(run_queue& from);
  bool admit(dps_thread& thread, pool*& room);
  dps_thread* end_run(dps_thread& finished, pool*& room);
  static dps_thread* leave(pool& of);
  void give_up(pool& room, run_queue& own);
  dps_thread* take_from(run_queue& from, pool*& room);
  dps_thread* take_from_others(run_queue& own, pool*& room);
  bool stays_idle(run_queue& own);
  execution_thread* take_idle(run_queue const* preferred);
  void wake_one(run_queue const* preferred);
#ifdef OVLP_ONE_THREAD
  dps_thread* take_chosen();
#endif

  backend* backend_;
  std::size_t const pool_count_;
  std::unique_ptr<pool[]> const pools_;
  bool counts_;      ///< who runs of a pool
  run_queue first_;  ///< it has no owner

  spin_mutex mutex_;
  run_queue* last_ OVLP_GUARDED_BY(mutex_);
  std::vector<run_queue*> idle_ OVLP_GUARDED_BY(mutex_);
  shared<std::size_t> idle_count_{0};
#ifdef OVLP_ONE_THREAD
  std::uint64_t arrivals_ = 0;
  bool chooses_ = false;
  dps_thread* chosen_ = nullptr;
#endif
};

}  // namespace ovlp::OVLP_INLINE_CORE
