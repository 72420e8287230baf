// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/flowgraph/graph_definition.hpp>

namespace ovlp {

/// Checks the structure and fills in `closer` of each port and `closes` of each operation.
/// Errors: graph_error. Cost: linear in operations and edges, times the depth of nesting.
void check_graph(graph_definition& graph);

}  // namespace ovlp
