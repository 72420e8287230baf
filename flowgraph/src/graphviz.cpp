// SPDX-License-Identifier: BSD-3-Clause

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>

#include <ovlp/flowgraph/graph_definition.hpp>

namespace ovlp {
namespace {

using drawing = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                      port_reference>;  // an edge knows its port

char const* shape(operation_kind kind) {
  switch (kind) {
    case operation_kind::leaf: return "box";
    case operation_kind::split: return "triangle";
    case operation_kind::merge: return "invtriangle";
    case operation_kind::stream: return "diamond";
  }
  return "box";
}

std::string route_name(route_definition const& route) {
  switch (route.kind) {
    case route_kind::at: return "at " + std::to_string(route.argument);
    case route_kind::by: return "by key";
    case route_kind::in_turn: return "in turn";
    case route_kind::at_opener: return "at opener";
    case route_kind::relative: return "relative " + std::to_string(route.argument);
    case route_kind::least_loaded: return "least loaded";
  }
  return "";
}

}  // namespace

void graph_definition::write_graphviz(std::ostream& to) const {
  drawing drawn(operations.size());
  for (std::size_t o = 0; o < operations.size(); ++o) {
    for (std::size_t p = 0; p < operations[o].ports.size(); ++p) {
      if (auto const& edge = operations[o].ports[p].edge) boost::add_edge(o, edge->target, port_reference{o, p}, drawn);
    }
  }
  auto write_operation = [&](std::ostream& out, std::size_t o) {
    operation_definition const& operation = operations[o];
    out << "[label=" << boost::escape_dot_string(operation.name + "\n" + operation.threads->name)
        << ", shape=" << shape(operation.kind) << (entry && entry->target == o ? ", penwidth=2" : "")
        << (exit == o ? ", peripheries=2" : "") << "]";
  };
  auto write_edge = [&](std::ostream& out, drawing::edge_descriptor e) {
    port_reference const at = drawn[e];
    port_definition const& port = operations[at.operation].ports[at.port];
    std::string label = type_name(*port.type) + "\n" + route_name(port.edge->route);
    if (port.window > 0) label += "\nwindow " + std::to_string(port.window);
    out << "[label=" << boost::escape_dot_string(label) << (port.side ? ", style=dashed" : "") << "]";
  };
  auto write_graph = [&](std::ostream& out) {
    out << "label=" << boost::escape_dot_string(name) << ";\nnode [fontname=\"sans-serif\"];\n"
        << "edge [fontname=\"sans-serif\", fontsize=10];\n";
  };
  boost::write_graphviz(to, drawn, write_operation, write_edge, write_graph);
}

}  // namespace ovlp
