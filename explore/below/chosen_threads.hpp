// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/exploration.hpp"

namespace ovlp::explore {

// below/: what synchronizes, tested apart from all that uses it. A unit is a few threads and what they share, in the
// types of chosen.hpp. Its threads are fibers of one OS thread, and a strategy says which one does its next operation.
//
// What may happen:
//   - a thread does its next operation on a mutex or an atomic, and all that follows up to the one after that;
//   - not one that locks a mutex that is held, or waits in load_unless() for a value to change.
// In the plain order a thread goes on as long as it can; then the one that has waited longest.
//
// So threads interleave as sequentially consistent ones do that share nothing else without a mutex. What weaker memory
// orders, or accesses that nothing orders, could do is not seen here: the thread sanitizer looks for that.

/// Threads and what they share, made anew for each run.
class unit {
 public:
  unit() = default;
  unit(unit const&) = delete;
  unit& operator=(unit const&) = delete;
  virtual ~unit() = default;

  /// What each thread does, numbered from 0. A run fails by what it throws.
  std::vector<std::function<void()>> threads = {};
  /// The thread goes on: makes thread_local variables its own.
  virtual void enter(std::size_t /*thread*/) {}
  /// When all have ended: what is wrong; empty: nothing.
  virtual std::string wrong() { return ""; }
  /// Then: what came out, where runs may differ in it.
  virtual std::uint64_t result() { return 0; }
};
using unit_maker = std::function<std::unique_ptr<unit>()>;

/// Within a unit's thread: fails the run unless this holds. What it looks at is the thread's own, or guarded, or a
/// shared<T>: else what an exhaustive search leaves out might be where it does not hold.
void must(bool holds, char const* what);

/// Makes a run of a unit: it fails if a check does, if no thread can go on before all have ended, and if there are more
/// choices than `most_choices`. Thread: any, one run in each.
outcome run_unit(unit_maker const& make, strategy& chooses, std::size_t most_choices);
/// The same for explore().
answer run_unit(unit_maker const& make, request const& asked);

/// In all interleavings, or in some: explore() (search/exploration.hpp).
exploration explore_unit(exploration_options const& how, unit_maker const& make);

}  // namespace ovlp::explore
