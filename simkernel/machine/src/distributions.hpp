// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {

/// The one that stands under `key`: a number, or an object with a name and parameters. Errors: config_error.
distribution read_distribution(base::json_object& from, std::string const& key);

}  // namespace ovlp::machine
