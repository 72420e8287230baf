// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>

#include <oneapi/tbb/spin_mutex.h>

// What Clang's thread-safety analysis is told (-Wthread-safety, an error in all presets with Clang); nothing to others.
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#if defined(__clang__)
#define OVLP_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define OVLP_THREAD_SAFETY(attribute)
#endif
/// Of a member: read and written only while the mutex is held.
#define OVLP_GUARDED_BY(mutex) OVLP_THREAD_SAFETY(guarded_by(mutex))
/// Of a pointer: so is what it points to.
#define OVLP_PT_GUARDED_BY(mutex) OVLP_THREAD_SAFETY(pt_guarded_by(mutex))
/// Of a function: called only while the mutex is held; or only while it is not.
#define OVLP_REQUIRES(mutex) OVLP_THREAD_SAFETY(requires_capability(mutex))
#define OVLP_EXCLUDES(mutex) OVLP_THREAD_SAFETY(locks_excluded(mutex))

namespace ovlp {

/// A mutex that the analysis knows.
template <class Mutex>
class OVLP_THREAD_SAFETY(capability("mutex")) basic_mutex {
 public:
  void lock() OVLP_THREAD_SAFETY(acquire_capability()) { mutex_.lock(); }
  void unlock() OVLP_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }
  bool try_lock() OVLP_THREAD_SAFETY(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  Mutex mutex_;
};

using mutex = basic_mutex<std::mutex>;
/// For what takes some instructions.
using spin_mutex = basic_mutex<tbb::spin_mutex>;

/// Holds a mutex while it lives.
template <class Mutex>
class OVLP_THREAD_SAFETY(scoped_lockable) scoped_lock {
 public:
  explicit scoped_lock(Mutex& held) OVLP_THREAD_SAFETY(acquire_capability(held)) : held_(held) { held_.lock(); }
  scoped_lock(scoped_lock const&) = delete;
  scoped_lock& operator=(scoped_lock const&) = delete;
  ~scoped_lock() OVLP_THREAD_SAFETY(release_capability()) { held_.unlock(); }

 private:
  Mutex& held_;
};

}  // namespace ovlp
