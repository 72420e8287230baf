// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <ovlp/flowgraph/function_ref.hpp>

#include "search/choice.hpp"

// What internal/synchronization.hpp takes for mutexes and atomics where their operations are choices (OVLP_CHOOSING):
// before each one, the thread of a unit (chosen_threads.hpp) waits until a strategy lets it go on. Operations are
// sequentially consistent, whatever memory order they ask for. Outside a unit's threads they are done at once.

namespace ovlp::explore {

/// What a thread is about to do with something that threads share.
struct operation {
  char const* what;  ///< in a word, for people
  resource touched;
  choice::kind_type kind = choice::kind_type::step;
};
/// Of something that is made now, by structure: who makes it, and the how-manieth thing it is. Even.
resource name_of_new_shared();
/// Returns when the operation has been chosen: it then happens, with all that follows up to the thread's next one.
/// Throws, to end the thread, if its run is over; but not before a release, which destructors do.
void await_choice(operation const& next);
/// The same for one that is only possible at times.
void await_choice(operation const& next, function_ref<bool()> possible);

/// One that is held can not be chosen to be locked.
class chosen_mutex {
 public:
  void lock() {
    await_choice({"lock", changes(name_), choice::kind_type::wait}, [this] { return !held_; });
    held_ = true;
  }
  void unlock() {
    await_choice({"unlock", changes(name_), choice::kind_type::release});
    held_ = false;
  }
  bool try_lock() {
    await_choice({"try to lock", changes(name_)});
    return !std::exchange(held_, true);
  }

 private:
  resource const name_ = name_of_new_shared();
  bool held_ = false;
};

/// With as much of the interface of std::atomic as the core uses.
template <class T>
class chosen_value {
 public:
  chosen_value(T value = {}) : value_(value) {}
  chosen_value(chosen_value const&) = delete;
  chosen_value& operator=(chosen_value const&) = delete;
  T load(std::memory_order = {}) const {
    await_choice({"load", uses(name_)});
    return value_;
  }
  /// As a thread that loads it again and again. What it sees in vain changes nothing, so it is chosen when it does not.
  T load_unless(T value) const {
    await_choice({"wait for", uses(name_), choice::kind_type::wait}, [&] { return value_ != value; });
    return value_;
  }
  void store(T value, std::memory_order = {}) {
    await_choice({"store", changes(name_)});
    value_ = value;
  }
  T exchange(T value, std::memory_order = {}) {
    await_choice({"exchange", changes(name_)});
    return std::exchange(value_, value);
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order = {}) {
    await_choice({"compare and exchange", changes(name_)});
    bool const equal = value_ == expected;
    (equal ? value_ : expected) = equal ? value : value_;
    return equal;
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order = {}) {
    return compare_exchange_strong(expected, value);
  }
  T fetch_add(T more, std::memory_order = {}) {
    await_choice({"add", changes(name_)});
    T const old = value_;
    value_ += more;
    return old;
  }
  operator T() const { return load(); }
  chosen_value& operator=(T value) {
    store(value);
    return *this;
  }
  T operator++() { return fetch_add(1) + 1; }
  T operator--() {
    await_choice({"subtract", changes(name_)});
    return --value_;
  }
  T operator+=(T more) { return fetch_add(more) + more; }

 private:
  resource const name_ = name_of_new_shared();
  T value_;
};

}  // namespace ovlp::explore
