// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "networks.hpp"

namespace ovlp::machine {

/// A network that SimGrid simulates. Errors: config_error.
network_section read_simgrid(base::json_object& from);

}  // namespace ovlp::machine
