// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ovlp::detail {

/// Memory from an allocator that keeps blocks of all sizes for the next ones, and that lets one thread free what
/// another took. The C library's gives large blocks back to the system, which then makes fresh pages for each: some per
/// cent of the time of a matrix product. Under sanitizers, from which that allocator hides memory, it is the plain one.
/// Thread: any. Errors: std::bad_alloc.
void* take_memory(std::size_t bytes, std::size_t alignment);
void give_memory(void* taken, std::size_t alignment) noexcept;

}  // namespace ovlp::detail
