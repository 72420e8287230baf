// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ovlp::shared_memory {

/// Where threads can run: processing units at the leaves of a tree whose nodes have, on each level, equally many
/// children. Units that are near each other share caches.
struct topology {
  struct level {
    std::string name;      ///< of what a child is: "package", "L3", "core", "PU"
    std::size_t children;  ///< 1 or more
  };
  std::vector<level> levels;       ///< from the machine on
  std::vector<std::size_t> units;  ///< the system's numbers of the leaves, from left to right

  /// That this machine has, of units that this process may use. Errors: config_error, if it is not regular.
  static topology of_this_machine();
  /// "machine", a text as "package:2 core:8 PU:2", or a JSON file: docs/formats/thread-mapping.md.
  /// Errors: config_error.
  static topology find(std::string const& name_or_file);

  /// Levels from a leaf up to the first node that has both below it: 0 of a leaf with itself.
  std::size_t distance(std::size_t leaf, std::size_t other) const;
};

/// As find() takes it.
std::string text_of(topology const& what);

}  // namespace ovlp::shared_memory
