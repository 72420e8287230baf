// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

#include <ovlp/runtime/internal/control.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// What is reported to the main program of an exception; where it was thrown is for the caller to add.
failure failure_of(std::exception_ptr thrown);

}  // namespace ovlp::OVLP_INLINE_CORE
