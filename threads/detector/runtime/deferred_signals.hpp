// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Signals that come to a thread while it must not be interrupted are handled afterwards. Those that the thread itself
/// causes (SIGSEGV and the like) are handled at once.
namespace ovlp::shared_memory {

/// The calling thread's, until handle_deferred_signals().
void defer_signals();
bool defers_signals();
/// Calls the program's handler for the one that came; others have waited for that.
void handle_deferred_signals();

}  // namespace ovlp::shared_memory
