// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "search/request.hpp"
#include "world/kept_object.hpp"

namespace ovlp::explore {

/// What a run tells whoever asked for it, as it happens: in memory that both processes have, so that it is there even
/// if the run's process crashes.
class shared_report {
 public:
  shared_report();
  shared_report(shared_report const&) = delete;
  shared_report& operator=(shared_report const&) = delete;
  ~shared_report();

  // Of the run's process.
  void chooses(std::span<choice const> possible, std::size_t chosen);
  void touched(std::span<resource const> what);
  void text(std::uint64_t name, std::string_view of);
  void object(std::uint64_t name, std::uint64_t hash);
  /// Of the main program's next call, where it is asked for.
  void result(kept_object const& of);
  /// The last thing: how it ended.
  void ended(outcome const& how);

  // Of the process that waits for it.
  void clear();
  bool has_ended() const;
  answer read() const;
  std::vector<kept_object> results() const;

 private:
  struct contents;
  contents* shared_;
};

/// A process that forks one for each run that is asked for. Thread: the only one of the process.
class fork_server {
 public:
  /// Talks on this descriptor.
  explicit fork_server(int talks_on);

  /// Answers requests. Returns only in a process that is forked for a run: with what that is to be. At the end of
  /// requests the process exits.
  request serve();
  shared_report& report() { return report_; }
  /// Of the main program's calls, in the run that is expected.
  std::vector<kept_object> const& expected() const { return expected_; }

 private:
  std::string read_line();
  answer wait_for(pid_t run, double most_s);

  /// Of what the run has printed on its standard error.
  std::string last_line() const;

  int talk_;
  int said_;  ///< a file without a name: the standard error of runs
  std::string buffered_;
  shared_report report_;
  std::vector<kept_object> expected_;
};

}  // namespace ovlp::explore
