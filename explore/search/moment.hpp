// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/choice.hpp"

namespace ovlp::explore {

/// A moment of a run at which something was chosen.
struct moment {
  std::vector<choice> possible;        ///< in the order in which it has become so
  std::size_t chosen = 0;              ///< its place there
  std::vector<resource> touched = {};  ///< by what was chosen
  std::uint64_t name() const { return possible[chosen].name; }
};
using moments = std::vector<moment>;

/// `then` waits, though the plain order would take it, until `first` has happened.
struct held_back {
  std::uint64_t then;
  std::uint64_t first;
  bool operator==(held_back const&) const = default;
};
/// A run as that in which it differs from the plain order: given_order makes the same run of it. Each event stands here
/// once at most as `then`; in the order in which they happen.
using interleaving = std::vector<held_back>;

/// In what the run differs from the plain order.
interleaving difference_of(moments const& run);

}  // namespace ovlp::explore
