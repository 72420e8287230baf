// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/base/json_object.hpp>

#include "effect.hpp"

// Each effect reads its own parameters; the table of them is in effects.cpp.
namespace ovlp::machine {

using effect_maker = decltype(effect_model::make);

effect_maker read_cache_cooling(base::json_object& from);
effect_maker read_wakeup(base::json_object& from);

}  // namespace ovlp::machine
