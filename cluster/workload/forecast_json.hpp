// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "workload/forecast.hpp"

namespace ovlp::cluster {

/// As it stands in a workload: docs/formats/workload.md.
nlohmann::ordered_json json_of(forecast const& of);

}  // namespace ovlp::cluster
