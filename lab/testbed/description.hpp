// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ovlp::lab {

/// What one description of a testbed (testbed.json, "testbed" of a platform) says otherwise than another:
/// "rate_Bps is 1000, not 2000". Empty if they differ by nothing, or by the name only.
std::string testbed_differences(nlohmann::json const& one, nlohmann::json const& other);

}  // namespace ovlp::lab
