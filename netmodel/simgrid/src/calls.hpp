// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csetjmp>
#include <csignal>
#include <string>

#include <ovlp/base/error.hpp>

namespace ovlp::net {

/// Where the calling thread goes on when SimGrid aborts.
extern thread_local sigjmp_buf* after_abort;

/// Before the first call: SimGrid's log is kept instead of printed, and its aborts come to call(). Once.
void catch_aborts();

/// SimGrid has aborted: nothing of it may be used any more.
bool aborted();

/// After a call that was left by this signal. What SimGrid said, in one line.
std::string handle_aborted(int signal);

/// Calls into SimGrid, which ends the process when something is wrong. What it says then is thrown. The call is left
/// without unwinding it.
/// Errors: config_error, and what `function` throws.
template <class Function>
void call(Function const& function) {
  struct leaving {
    ~leaving() { after_abort = nullptr; }
  };
  sigjmp_buf here;
  if (int const signal = sigsetjmp(here, 0); signal != 0) {
    after_abort = nullptr;
    throw config_error(handle_aborted(signal));
  }
  after_abort = &here;
  leaving const last;
  function();
}

/// For calls that a wrong description makes crash. While it lives nothing is written to standard error, for before
/// SimGrid aborts it prints the stack; and a segmentation fault comes to call(), too.
class crash_guard {
 public:
  crash_guard();
  crash_guard(crash_guard const&) = delete;
  crash_guard& operator=(crash_guard const&) = delete;
  ~crash_guard();

 private:
  int error_;
  struct sigaction on_crash_ {};
};

}  // namespace ovlp::net
