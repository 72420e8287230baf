// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include <ovlp/base/process.hpp>

namespace ovlp::base {

/// Runs `count` programs to their ends, in the order of their numbers, `at_once` at a time: a thread for each of these,
/// which calls run(). `command_of(number, place)` is called from several of these threads at once, with a place below
/// `at_once` that no other running program has; `ended` in one thread at a time, in the order of the ends.
/// Errors: io_error of a program that cannot be started, `interrupted`, and what the functions throw: then no program
/// more is started, and those that run are waited for, or ended if we are interrupted.
void run_many(std::size_t count, std::size_t at_once,
              std::function<command(std::size_t number, std::size_t place)> const& command_of,
              std::function<void(std::size_t number, std::size_t place, outcome const&)> const& ended);

}  // namespace ovlp::base
