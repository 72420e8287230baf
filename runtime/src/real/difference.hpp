// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/fact.hpp>

namespace ovlp::real {

/// What is different first in two processes that are to agree, in a line: "node2 was started with --columns 50, node0
/// with --columns 100".
std::string difference(node_id other, facts const& theirs, node_id self, facts const& own);

}  // namespace ovlp::real
