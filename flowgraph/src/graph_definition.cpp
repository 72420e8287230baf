// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/graph_definition.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/chain.hpp>

namespace ovlp {

std::string_view kind_name(operation_kind kind) {
  switch (kind) {
    case operation_kind::leaf: return "leaf";
    case operation_kind::split: return "split";
    case operation_kind::merge: return "merge";
    case operation_kind::stream: return "stream";
  }
  return "?";
}

void graph_definition::expect_open() const {
  if (checked_) throw graph_error("graph '" + name + "' is in use and cannot be changed any more");
}

std::string graph_definition::describe(std::size_t operation) const {
  operation_definition const& described = operations[operation];
  return std::string(kind_name(described.kind)) + " '" + described.name + "'";
}

std::string graph_definition::describe(port_reference port) const {
  object_type const& type = *operations[port.operation].ports[port.port].type;
  return "port " + std::to_string(port.port) + " (" + type_name(type) + ") of " + describe(port.operation);
}

std::size_t detail::add_stages(graph_definition& to, std::vector<stage> const& stages) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    std::size_t const added = to.operations.size();
    to.operations.push_back(stages[i].operation);
    if (i > 0) to.operations[last].ports.front().edge = edge_definition{added, stages[i].route};
    for (std::size_t port = 0; port < stages[i].aside.size(); ++port) {
      std::vector<stage> const& aside = stages[i].aside[port];
      to.operations[added].ports[1 + port].edge = edge_definition{to.operations.size(), aside.front().route};
      add_stages(to, aside);
    }
    last = added;
  }
  return last;
}

}  // namespace ovlp
