// SPDX-License-Identifier: BSD-3-Clause
#include "effects.hpp"

#include <array>

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

effect_model read_effect(support::json_object from) {
  known_effect const& chosen = from.choice("name", known_effects);
  effect_model read{chosen.name, chosen.read(from)};
  from.end();
  return read;
}

}  // namespace ovlp::machine
