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

/// At the exit of this process: if its standard output could not be written, a line on stderr and status 1.
void check_output_at_exit(std::string const& application);

/// Tells which operation the calling OS thread runs, in words; "" if none.
using describe_function = std::string();
/// At that exit an operation that runs is named as the one that has ended the program.
void ask_at_exit(describe_function* running);

/// Says a line on stderr, now; and the process will exit with status 1, whatever its main function returns.
void fail_at_exit(std::string const& application, std::string const& why);

}  // namespace ovlp
