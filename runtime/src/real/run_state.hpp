// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::real {

inline failure network_failure(std::string text) {
  return {.kind = failure::kind_type::network, .type = "ovlp::network_error", .text = std::move(text)};
}

/// Whether the run goes on, as this process knows it. Thread: any.
class run_state {
 public:
  /// `end` does what has to be done when the run cannot go on.
  explicit run_state(std::function<void(failure const&)> end) : end_(std::move(end)) {}

  /// The run cannot go on.
  void fail(failure const& what) const { end_(what); }
  /// Keeps the failure if it is the first. Says whether it was.
  bool keep(failure const& what) {
    scoped_lock const lock(mutex_);
    if (failure_) return false;
    failure_ = what;
    return true;
  }
  std::optional<failure> failed() const {
    scoped_lock const lock(mutex_);
    return failure_;
  }

  /// The run ends: who is gone from now on is not lost.
  void finish() { finishing_ = true; }
  bool finishing() const { return finishing_; }

 private:
  std::function<void(failure const&)> const end_;
  mutable mutex mutex_;
  std::optional<failure> failure_ OVLP_GUARDED_BY(mutex_);
  std::atomic<bool> finishing_{false};
};

}  // namespace ovlp::real
