// SPDX-License-Identifier: BSD-3-Clause
#include "description.hpp"

#include <set>

namespace ovlp::lab {

using nlohmann::json;

std::string testbed_differences(json const& one, json const& other) {
  if (!one.is_object() || !other.is_object()) {
    return one.is_object() == other.is_object() ? "" : "only one of them says what its testbed is";
  }
  std::set<std::string> keys;
  for (json const* description : {&one, &other}) {
    for (auto const& [key, value] : description->items()) keys.insert(key);
  }
  keys.erase("name");
  std::string all;
  for (std::string const& key : keys) {
    json const here = one.value(key, json()), there = other.value(key, json());
    if (here != there) all += (all.empty() ? "" : ", ") + key + " is " + here.dump() + ", not " + there.dump();
  }
  return all;
}

}  // namespace ovlp::lab
