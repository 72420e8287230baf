// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "counting.hpp"

/// Threads, and what is counted of them.
namespace ovlp::shared_memory {

/// By creation: 0 is the program's first one. `unobserved`, if the table is full or nothing is counted.
/// Of a team that OpenMP makes: the lowest number of such a thread that has ended, if there is one.
std::uint32_t number_of_new_thread(bool of_team);
/// There is no such thread after all: the next one gets the number, if no other was numbered since.
void give_back(std::uint32_t number);
/// The calling thread has this number.
void observe(std::uint32_t number);
/// A thread of a team: another one may get its number.
void has_ended(std::uint32_t number);

/// What this process counts; nullptr: nothing.
counters* counted();
/// The file of it; nullptr.
char const* file_of_counters();
/// Only while something is counted.
double seconds_since_start();

/// Memory that is given back: nobody has accessed the blocks that lie in it.
void forget_blocks(std::uintptr_t begin, std::size_t bytes);

}  // namespace ovlp::shared_memory
