// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/graph_definition.hpp>

#include <ovlp/base/error.hpp>

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

}  // namespace ovlp
