// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::real {

/// Standard output or standard error for whoever must not wait: a thread of its own writes, in order. What it goes to
/// may be a pager that nobody scrolls, or a terminal that is held.
/// Thread: any.
class output {
 public:
  explicit output(std::FILE* to) : to_(to) {}
  ~output();  ///< as flush

  /// Adds a whole line, without its end. Does not wait.
  void print(std::string const& line);
  /// If so much waits to be written that no more should be added: returns true, and calls `then` once there is room.
  bool full(std::function<void()> then);
  /// Waits until all is written.
  void flush();

 private:
  static constexpr std::size_t most_waiting_bytes = 1024 * 1024;
  bool start() OVLP_REQUIRES(mutex_);
  void put(std::string const& text);
  void write();

  std::FILE* const to_;
  mutex mutex_;
  std::condition_variable_any changed_;
  std::string waiting_ OVLP_GUARDED_BY(mutex_);
  bool writing_ OVLP_GUARDED_BY(mutex_) = false;
  bool stopping_ OVLP_GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> want_room_ OVLP_GUARDED_BY(mutex_);
  std::thread thread_ OVLP_GUARDED_BY(mutex_);  ///< from the first line on
};

}  // namespace ovlp::real
