// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace ovlp::base {

/// A line on standard error that is written over and goes with this object, if that is a terminal; on a pipe and in a
/// file nothing. Thread: one at a time.
class terminal_line {
 public:
  terminal_line();
  terminal_line(terminal_line const&) = delete;
  terminal_line& operator=(terminal_line const&) = delete;
  ~terminal_line() { clear(); }

  bool is_seen() const { return on_terminal_; }
  /// As much of it as is seen on one line. Four times a second at most; what comes in between is left out.
  void show(std::string const& text);
  void clear();

 private:
  bool const on_terminal_;
  bool shown_ = false;
  double last_s_;
};

/// How far a long job is, on a terminal_line. It comes when the job has taken a second.
///
///     ovlp sweep: 1200 of 10000 runs, 3 min left
class progress {
 public:
  /// `what`: who does it; `units`: what is counted. `done`: of `total`, earlier.
  progress(std::string what, std::size_t total, std::string units, std::size_t done = 0);
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress();

  /// So many more are done. Errors: `interrupted`, see notice_interrupts(). Thread: any. Cost: a lock and a clock.
  void advance(std::size_t by = 1);
  /// A line of text on standard error that stays, on a pipe as well.
  void say(std::string const& line);

 private:
  void show_until_the_end();
  std::string line() const;

  std::string const what_;
  std::string const units_;
  std::size_t const total_;
  std::size_t const done_earlier_;
  double const begun_s_;
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::size_t done_;
  double last_advance_s_;
  terminal_line shown_;
  bool ends_ = false;
  std::thread shows_;  // none without a terminal
};

}  // namespace ovlp::base
