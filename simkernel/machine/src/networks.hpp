// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/machine/platform.hpp>
#include <ovlp/support/json_object.hpp>

namespace ovlp::machine {

/// A platform file's `network`. Errors: config_error.
network_model read_network(support::json_object from);

}  // namespace ovlp::machine
