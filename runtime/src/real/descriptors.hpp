// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp::real {

/// Sees to it that so many more files and sockets can be opened, and some to spare. Returns whether they can.
bool can_open(std::size_t more);
/// The same where it must be so. Errors: network_error.
void need_descriptors(std::size_t more, node_id self);

}  // namespace ovlp::real
