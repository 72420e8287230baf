// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/machine/platform.hpp>
#include <ovlp/support/json_object.hpp>

namespace ovlp::machine {

/// The one that stands under `key`: a number of at least so much, or an object with a name and parameters. Errors:
/// config_error.
distribution read_distribution(support::json_object& from, std::string const& key, double least);

}  // namespace ovlp::machine
