// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "search/strategy.hpp"

namespace ovlp::explore {

/// As little of an interleaving as still fails: what is left fails no more without any one of its parts.
/// `fails`: whether a run in this interleaving shows the failure; it does for `all`.
/// Source: Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, IEEE TSE 28(2), 2002 (ddmin).
interleaving shrink(interleaving all, std::function<bool(interleaving const&)> const& fails);

}  // namespace ovlp::explore
