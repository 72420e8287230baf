// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

namespace ovlp {

/// What a user reads when std::bad_alloc ends a run.
inline constexpr char memory_ran_out[] =
    "memory ran out: of the machine, or a limit (ulimit -v, a control group). A port's window bounds the objects and "
    "suspended operations that exist at once, --stack-kib the stack of each; --no-alloc spares a simulation the memory "
    "of buffers; fewer nodes and threads need less";

/// Of an exception of the runtime itself: if memory or threads ran out, which limits there are and what to change; else
/// its own text.
std::string explained(std::exception const& thrown);

// How a process of a run ends: nothing that was to be printed or written is lost without a word and a status.

/// From now on an exception of ours that nobody catches ends the program with its text and status 1.
void report_uncaught_errors();

/// At the exit of this process: a line on stderr and status 1 if an operation, or another function of the program that
/// runs on the calling OS thread, has ended it; and, if `output`, if its standard output could not be written.
void check_at_exit(std::string const& application, bool output);

/// Whose end has not come: what would be lost by it, in words; "" if nothing.
struct unfinished {
  virtual std::string lost() const = 0;

 protected:
  ~unfinished() = default;
};
/// Asked at an exit with status 0, which is then one with 1 and a line on stderr; nullptr: nothing is unfinished.
void ask_at_exit(unfinished const* what);

/// Ends the process: of what it would do at its exit only output is written.
[[noreturn]] void end_at_once(int status);

/// Says a line on stderr, now; and the process will exit with status 1, whatever its main function returns.
void fail_at_exit(std::string const& application, std::string const& why);

}  // namespace ovlp
