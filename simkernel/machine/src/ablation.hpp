// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ovlp::machine {

/// The parts of a platform's model that can be left out.
std::vector<std::string> parts_to_leave_out(nlohmann::json const& platform);

/// Leaves these out. Errors: config_error for one that the platform has not.
void leave_out(nlohmann::json& platform, std::string const& file, std::vector<std::string> const& parts);

}  // namespace ovlp::machine
