// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/mailbox.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class execution;

// Names by structure: the same in each run of a program in which the same happens, in whatever order. Groups and calls
// have numbers that depend on the order, so they are named by what is around them and by what opened them; a call by
// whoever names it, if somebody does.

std::uint64_t name_of(frames in, std::uint64_t call = 0);
std::uint64_t name_of(execution const& what, std::uint64_t call = 0);
/// Of an object or an operation; of other mail its kind.
std::uint64_t name_of(mail const& work, std::uint64_t call = 0);
/// The frames of an object or an operation; none: it is other mail.
frames frames_of(mail const& work);

}  // namespace ovlp::OVLP_INLINE_CORE
