// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/intrusive/slist.hpp>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "steps/dps_thread.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class backend;
class execution_thread;

/// First in, first out.
using ready_queue = boost::intrusive::slist<
    dps_thread,
    boost::intrusive::member_hook<dps_thread, decltype(dps_thread::in_ready_queue), &dps_thread::in_ready_queue>,
    boost::intrusive::constant_time_size<false>, boost::intrusive::cache_last<true>>;

/// Admission: which DPS thread of a node runs next, on which execution thread. The same code in both backends.
///
/// Each collection has a pool: at most `limit` of its operations run at once. DPS threads are served in order of
/// arrival among those whose pool has room. Any execution thread runs any of them, and goes on with operations that
/// another has suspended; there are as many as the limits add up to, so what has room finds one.
/// Thread: any.
class scheduler {
 public:
  explicit scheduler(backend& world) : backend_(&world) {}

  /// How many operations of this pool may run at once, and whether it has more DPS threads than that. Pools are
  /// numbered from 0.
  void set_limit(std::size_t pool, std::size_t limit, bool some_wait);
  std::size_t total_limit() const;

  /// The DPS thread has something to run.
  void enqueue(dps_thread& thread);
  /// What `self` runs next; `finished` is what it ran last and `more` whether that has more to run. nullptr: nothing,
  /// and `self` counts as idle until the backend is told to wake it.
  dps_thread* next(execution_thread& self, dps_thread* finished, bool more);

#ifdef OVLP_ONE_THREAD
  // Where somebody else chooses, in the place of the order of arrival (explore/).
  /// From now on next() gives what choose() has said, once, and else nothing. Before anything runs.
  void let_choose() { chooses_ = true; }
  /// Appends those that may run next, in order of arrival: of each pool as many as it has room for.
  void add_candidates(std::vector<dps_thread*>& to);
  void choose(dps_thread& candidate) { chosen_ = &candidate; }
#endif

  /// DPS threads that wait or run: 0 means that the node is passive.
  std::size_t busy() const;
  void wake_all();
  /// What should always hold and does not; empty: all does.
  std::string broken_invariant() const;

  /// The execution thread that the calling OS thread is, or nullptr. If it is idle, it is the one to prefer when
  /// something is to run. Not inlined: an operation goes on in another OS thread after a switch.
  [[gnu::noinline]] static execution_thread* self();
  static void set_self(execution_thread* self);

 private:
  struct pool {
    std::size_t limit = 0;
    bool some_wait = false;
    std::size_t running = 0;
    ready_queue ready;
  };
  void touch_pool_of(dps_thread const& thread) OVLP_REQUIRES(mutex_);
  void insert(dps_thread& thread) OVLP_REQUIRES(mutex_);
  dps_thread* pick() OVLP_REQUIRES(mutex_);
  dps_thread* take(pool& from, ready_queue::iterator before) OVLP_REQUIRES(mutex_);
  bool can_run() const OVLP_REQUIRES(mutex_);
  execution_thread* take_idle() OVLP_REQUIRES(mutex_);

  backend* backend_;
  mutable spin_mutex mutex_;
  std::vector<pool> pools_ OVLP_GUARDED_BY(mutex_);
  std::vector<execution_thread*> idle_ OVLP_GUARDED_BY(mutex_);
  std::uint64_t arrivals_ OVLP_GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ OVLP_GUARDED_BY(mutex_) = 0;
  std::size_t running_ OVLP_GUARDED_BY(mutex_) = 0;
#ifdef OVLP_ONE_THREAD
  bool chooses_ = false;
  dps_thread* chosen_ = nullptr;
#endif
};

}  // namespace ovlp::OVLP_INLINE_CORE
