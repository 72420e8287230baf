// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <type_traits>

#include <oneapi/tbb/spin_mutex.h>

#if defined(OVLP_CHOOSING)
#include "below/chosen.hpp"
#define OVLP_CORE choosing
#elif defined(OVLP_ONE_THREAD)
#define OVLP_CORE serial
#else
#define OVLP_CORE concurrent
#endif
/// `namespace ovlp::OVLP_INLINE_CORE` opens both namespaces.
#define OVLP_INLINE_CORE inline OVLP_CORE

// The core is compiled twice, for a backend whose execution threads are OS threads and for one in which all of them are
// one OS thread (OVLP_ONE_THREAD): there what synchronizes does nothing. The two differ by these types alone, and in
// their names by an inline namespace, so one program may link both. And for tests of what synchronizes, in which each
// operation is a choice (OVLP_CHOOSING, explore/below).

// What Clang's thread-safety analysis is told (-Wthread-safety, an error in all presets with Clang); nothing to others.
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#if defined(__clang__)
#define OVLP_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define OVLP_THREAD_SAFETY(attribute)
#endif
/// Of a member: read and written only while the mutex is held.
#define OVLP_GUARDED_BY(mutex) OVLP_THREAD_SAFETY(guarded_by(mutex))
/// Of a function: called only while the mutex is held.
#define OVLP_REQUIRES(mutex) OVLP_THREAD_SAFETY(requires_capability(mutex))

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

namespace ovlp::OVLP_INLINE_CORE {

#if defined(OVLP_CHOOSING)

inline constexpr std::size_t apart_bytes = alignof(void*);

using mutex = basic_mutex<explore::chosen_mutex>;
using spin_mutex = basic_mutex<explore::chosen_mutex>;

template <class T>
using shared = explore::chosen_value<T>;

#elif defined(OVLP_ONE_THREAD)

/// Of what several OS threads write: on a cache line of its own.
inline constexpr std::size_t apart_bytes = alignof(void*);

class no_mutex {
 public:
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};
using mutex = basic_mutex<no_mutex>;
using spin_mutex = basic_mutex<no_mutex>;

/// What OS threads would share, with as much of the interface of std::atomic as the core uses.
template <class T>
class shared {
 public:
  constexpr shared(T value = {}) : value_(value) {}
  shared(shared const&) = delete;
  shared& operator=(shared const&) = delete;
  T load(std::memory_order = {}) const { return value_; }
  void store(T value, std::memory_order = {}) { value_ = value; }
  T exchange(T value, std::memory_order = {}) {
    T const before = value_;
    value_ = value;
    return before;
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order = {}) {
    bool const equal = value_ == expected;
    (equal ? value_ : expected) = equal ? value : value_;
    return equal;
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order = {}) {
    return compare_exchange_strong(expected, value);
  }
  T fetch_add(T more, std::memory_order = {}) {
    T const before = value_;
    value_ += more;
    return before;
  }
  operator T() const { return value_; }
  shared& operator=(T value) {
    value_ = value;
    return *this;
  }
  T operator++() { return ++value_; }
  T operator--() { return --value_; }
  T operator+=(T more) { return value_ += more; }

 private:
  T value_;
};

#else

inline constexpr std::size_t apart_bytes = 64;

using mutex = basic_mutex<std::mutex>;
/// For what takes some instructions.
using spin_mutex = basic_mutex<tbb::spin_mutex>;

template <class T>
using shared = std::atomic<T>;

#endif

/// Reads until there is another value than this one, which others put there within some instructions.
template <class T>
T spin_while(shared<T> const& of, std::type_identity_t<T> value) {
#ifdef OVLP_CHOOSING
  return of.load_unless(value);
#else
  T now = of.load(std::memory_order_acquire);
  while (now == value) now = of.load(std::memory_order_acquire);
  return now;
#endif
}

}  // namespace ovlp::OVLP_INLINE_CORE
