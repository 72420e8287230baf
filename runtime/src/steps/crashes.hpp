// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// From now on an operation that overflows its stack, or does what ends a process by SIGSEGV, SIGBUS, SIGFPE, SIGILL or
/// SIGABRT, on the calling OS thread is named on standard error, before the process dies as it would have died: by that
/// signal, or in the handler that was there before. Thread: any; cheap when called again.
void report_crashes();

}  // namespace ovlp::OVLP_INLINE_CORE
