// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <ovlp/netmodel/topology.hpp>
#include <simgrid/s4u.hpp>

namespace ovlp::net {

/// What SimGrid's routes between these hosts tell of what joins them. Errors: config_error if there is no route.
topology find_topology(std::vector<::simgrid::s4u::Host*> const& hosts);

}  // namespace ovlp::net
