// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ovlp {

/// Something in which all processes of a run must agree. A data object.
struct fact {
  enum class kind : std::uint8_t {
    option,     ///< how the process was started
    structure,  ///< of graphs and collections
    value,      ///< something that has a value
  };
  kind what_kind;
  std::string what;                 ///< "--columns", "leaf 'scale' of graph 'life'", "parameter 2 (double) of ..."
  std::optional<std::string> text;  ///< its value, where people can read it; of an option none: not given
  std::uint64_t digest = 0;         ///< of its value, where there is no text
  bool operator==(fact const&) const = default;
};
using facts = std::vector<fact>;

}  // namespace ovlp
