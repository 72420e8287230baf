// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace ovlp::lab {

// For programs that run a thread on each of some cores. Errors: a message on standard error, and the program ends.

/// Status 1, with what the system says.
void check(bool good, char const* what);

/// Of the command line: status 2.
long whole_number(char const* text, char const* expected, long most);

/// Keeps the calling thread on a core, under this policy of the scheduler.
void run_on(std::size_t core, int policy, int priority, char const* what);

/// Runs it for each core of the command line, in a thread of its own, with its number.
void for_each_core(std::span<char* const> cores, std::function<void(std::size_t)> const& body);

}  // namespace ovlp::lab
