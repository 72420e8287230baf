// SPDX-License-Identifier: BSD-3-Clause
#include "effects.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace ovlp::machine {
namespace {

struct known_effect {
  char const* name;
  effect_maker (*read)(support::json_object&);
};
constexpr std::array known_effects{
    known_effect{"cache_cooling", read_cache_cooling},
    known_effect{"wakeup", read_wakeup},
};

}  // namespace

std::vector<effect_model> read_effects(std::vector<support::json_object> from) {
  std::vector<effect_model> all;
  for (support::json_object& one : from) {
    known_effect const& chosen = one.choice("name", known_effects);
    if (std::ranges::find(all, chosen.name, &effect_model::name) != all.end()) {
      one.fail(one.path("name"), "one that is not listed before", one.at("name"));
    }
    all.push_back({chosen.name, chosen.read(one)});
    one.end();
  }
  return all;
}

}  // namespace ovlp::machine
