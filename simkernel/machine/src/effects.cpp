// SPDX-License-Identifier: BSD-3-Clause
#include "effects.hpp"

#include <algorithm>
#include <array>

#include "model_table.hpp"

namespace ovlp::machine {
namespace {

constexpr std::array known_effects{
    known_model<effect_model>{"cache_cooling", read_cache_cooling},
    known_model<effect_model>{"wakeup", read_wakeup},
};

}  // namespace

std::vector<effect_model> read_effects(std::vector<base::json_object> from) {
  std::vector<effect_model> all;
  for (base::json_object& one : from) {
    if (std::ranges::find(all, one.text("name"), &effect_model::name) != all.end()) {
      one.fail(one.path("name"), "one that is not listed before", one.at("name"));
    }
    all.push_back(read_model<effect_model>(one, "name", known_effects));
  }
  return all;
}

}  // namespace ovlp::machine
