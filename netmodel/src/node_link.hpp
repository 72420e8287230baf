// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/netmodel/node_link.hpp>

namespace ovlp::net {

/// Errors: std::logic_error for a link that is not as said.
void check(node_link const& l);
void check_latency(double latency_s);

}  // namespace ovlp::net
