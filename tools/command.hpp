// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::tools {

/// A program to be run, without a shell.
struct command {
  std::vector<std::string> words;                                     ///< its name, sought on PATH, and its arguments
  std::string input = {};                                             ///< on its standard input
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< beside ours
  std::optional<std::chrono::seconds> patience = {};                  ///< then it is killed, with all that it started
};

/// How a program ended.
struct outcome {
  int status = 0;  ///< of its exit; 128 + the signal's number if one ended it
  bool timed_out = false;
  std::string out;
  std::string err;

  bool good() const { return status == 0 && !timed_out; }
  /// For a message: why it was not good, in one line.
  std::string complaint() const;
};

/// No such program.
class not_found : public io_error {
 public:
  using io_error::io_error;
};

/// Thrown while a program runs, or before one is started, when the user has interrupted us: see notice_interrupts().
struct interrupted {};

/// Runs it to its end. Errors: not_found, io_error if it cannot be started, `interrupted`; it has been killed then.
outcome run(command const& what);

/// From now on SIGINT, SIGTERM and SIGHUP end run() with `interrupted`, so that what was begun can be undone.
void notice_interrupts();
/// While it lives they are put off: for the undoing.
class put_off_interrupts {
 public:
  put_off_interrupts();
  put_off_interrupts(put_off_interrupts const&) = delete;
  put_off_interrupts& operator=(put_off_interrupts const&) = delete;
  ~put_off_interrupts();
};

}  // namespace ovlp::tools
