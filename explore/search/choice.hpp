// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ovlp/base/mix.hpp>

namespace ovlp::explore {

/// Something that may happen next in a run: a DPS thread goes on to the end of its next atomic step, the first message
/// of a connection arrives, a node joins or is released, the main program goes on.
struct choice {
  enum class kind_type : std::uint8_t { start, step, arrival, node, main, wait, release };
  /// Of what happens, by structure: the same in every interleaving in which it happens, and once in each.
  std::uint64_t name;
  /// Of where it happens: the DPS thread, connection, node. No two that are possible at one time have the same.
  std::uint64_t source;
  /// start: of an operation, in a DPS thread. wait: one that, once it is its source's next, others may make impossible
  /// and possible again, as locking a mutex; release: one that can do so only to the latter end, as unlocking it. All
  /// others stay possible until they are chosen.
  kind_type kind = kind_type::step;
  bool operator==(choice const&) const = default;
};

/// Something that choices touch, such as a DPS thread or a connection, and whether they change it or only use it. Two
/// choices depend on each other if they touch the same and one of them changes it. docs/explore.md has the table.
using resource = std::uint64_t;
constexpr resource changes(std::uint64_t what) { return what | 1; }
constexpr resource uses(std::uint64_t what) { return what & ~std::uint64_t{1}; }
constexpr bool conflict(resource a, resource b) { return uses(a) == uses(b) && ((a | b) & 1) != 0; }

using base::mix;

}  // namespace ovlp::explore
