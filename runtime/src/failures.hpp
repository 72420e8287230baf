// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

#include <ovlp/runtime/internal/control.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class thread_manager;

/// Ends the run: this has been thrown by a function of the program, in that thread of the node.
void fail(thread_manager const& node, std::string function, thread_address thread, std::exception_ptr thrown);

}  // namespace ovlp::OVLP_INLINE_CORE
