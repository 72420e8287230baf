// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <ovlp/flowgraph/context.hpp>
#include <ovlp/flowgraph/operation.hpp>
#include <ovlp/flowgraph/parameter.hpp>
#include <ovlp/flowgraph/route.hpp>
#include <ovlp/flowgraph/threads.hpp>

namespace ovlp {

/// A port of an operation of the same graph.
struct port_reference {
  std::size_t operation;
  std::size_t port;
  auto operator<=>(port_reference const&) const = default;
};

/// Where a port leads, and which thread of the target gets an object.
struct edge_definition {
  std::size_t target;  ///< operation
  route_definition route;
};

/// A typed outgoing end of an operation. The first port of a leaf or merge is its result, if it returns one; all others
/// open groups.
struct port_definition {
  object_type const* type = nullptr;
  std::size_t window = 0;  ///< most objects between the port and its closer; 0: no bound
  bool discarded = false;  ///< leads nowhere on purpose: posting is an error
  std::optional<edge_definition> edge;
  std::optional<std::size_t> closer;  ///< operation that closes its groups; set by check()
  bool side = false;                  ///< all its paths end, so its groups have no closer; set by check()

  bool closed_at_opener = false;  ///< the closer runs in the thread that opened the group; set by check()

  /// Whether the closer, or the end of the path, tells the opener of each object that it hands out or has handled.
  bool credited() const { return window > 0 || (edge && edge->route.kind == route_kind::least_loaded); }
};

struct operation_definition {
  std::string name;
  operation_kind kind = operation_kind::leaf;
  std::shared_ptr<collection_definition> threads;
  object_type const* input = nullptr;
  std::vector<port_definition> ports;
  std::function<void(operation_context&)> body;
  std::vector<parameter_definition> parameters;          ///< of the body: constants that can be compared
  std::vector<std::shared_ptr<graph_definition>> calls;  ///< graphs that the body calls
  std::vector<port_reference> closes;                    ///< ports whose groups it closes; set by check()
  object_type const* opened = nullptr;                   ///< of a closer that takes what the opener received
  bool copies_input = false;                             ///< of a split: what it receives can be copied
  bool keeps_input = false;                              ///< a closer takes what it received; set by check()
  bool ends_path = false;                                ///< nothing that it gives is answered; set by check()

  /// Whether it gives a value, on port 0.
  bool returns() const { return !is_opener(kind) && !ports.empty(); }
  /// Whether what is posted on this port forms groups.
  bool opens(std::size_t port) const { return is_opener(kind) || port > 0; }
  /// Whether it has such a port.
  bool posts() const { return ports.size() > (is_opener(kind) ? 0 : 1); }
};

/// A flow graph with its types erased: what the runtime executes. Built through graph<In, Out>.
class graph_definition {
 public:
  explicit graph_definition(std::string graph_name) : name(std::move(graph_name)) {}

  std::string const name;
  std::vector<operation_definition> operations;
  std::optional<edge_definition> entry;
  std::optional<std::size_t> exit;  ///< none: a call returns nothing
  bool returns = true;              ///< a call returns something, so there is to be an exit

  /// Of what a call gives.
  object_type const& result_type() const {
    return exit ? *operations[*exit].ports.front().type : type_of<detail::nothing>();
  }

  /// Checks the structure once and finds the closer of each port; the graph cannot be changed afterwards.
  /// Errors: graph_error naming operations and ports, if the graph has a cycle, an operation that cannot be reached,
  ///         no entry or exit, or a port whose paths neither all end nor are all closed by one merge or stream.
  /// Cost: linear in operations and edges, times the depth of nesting.
  /// Source: the paper, section 2.
  void check();
  bool checked() const { return checked_; }
  /// Errors: graph_error if the graph is in use.
  void expect_open() const;

  /// "split 'factor first'", "port 1 (Flip) of stream 'advance'": for messages.
  std::string describe(std::size_t operation) const;
  std::string describe(port_reference port) const;

  /// The graph in the language of Graphviz: operations in the paper's shapes, grouped by collection.
  void write_graphviz(std::ostream& to) const;

 private:
  bool checked_ = false;
};

}  // namespace ovlp
