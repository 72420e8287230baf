// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {

/// A platform file's `nodes`. `bandwidth`: of links that say nothing else, in bytes per second; none: links are not the
/// nodes'. Errors: config_error.
std::vector<node_kind> read_node_kinds(std::vector<base::json_object> const& from, std::optional<double> bandwidth);

}  // namespace ovlp::machine
