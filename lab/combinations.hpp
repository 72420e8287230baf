// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ovlp::lab {

/// All combinations of one value for each name; the value of the last name changes first.
template <class Value>
std::vector<std::map<std::string, Value>> combinations(
    std::vector<std::pair<std::string, std::vector<Value>>> const& of) {
  std::vector<std::map<std::string, Value>> all{{}};
  for (auto const& [name, values] : of) {
    std::vector<std::map<std::string, Value>> more;
    for (auto const& so_far : all) {
      for (Value const& value : values) {
        more.push_back(so_far);
        more.back()[name] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

}  // namespace ovlp::lab
