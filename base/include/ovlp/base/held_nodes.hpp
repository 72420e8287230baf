// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace ovlp {

/// The nodes that a run is to hold: the first so many. A data object.
struct held_nodes {
  static constexpr std::size_t most = std::size_t{1} << 22;  ///< of a run

  std::size_t nodes = 0;
  /// By name of a collection: over how many of the first nodes it is to live, where that is not all of them.
  std::map<std::string, std::size_t> collections = {};

  std::size_t of(std::string const& collection) const {
    auto const own = collections.find(collection);
    return own == collections.end() ? nodes : own->second;
  }
  friend bool operator==(held_nodes const&, held_nodes const&) = default;
};

}  // namespace ovlp
