// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <ovlp/netmodel/simgrid.hpp>
#include <simgrid/s4u.hpp>

namespace ovlp::net {

/// SimGrid's hosts for what is described, in the order in which they are made. Errors: config_error.
std::vector<::simgrid::s4u::Host*> make_hosts(::simgrid::s4u::Engine& engine, simgrid_machine const& described);

}  // namespace ovlp::net
