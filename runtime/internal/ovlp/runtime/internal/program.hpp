// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/fact.hpp>

namespace ovlp {

/// One of the run's DPS threads: collection and index.
struct thread_address {
  std::uint32_t collection = 0;
  std::uint32_t index = 0;
  bool operator==(thread_address const&) const = default;
};

/// All graphs and collections of a run, numbered alike in every process. Filled before the first call, then constant.
class program {
 public:
  struct graph_entry {
    std::shared_ptr<graph_definition> definition;
    std::vector<std::uint32_t> collection_of;  ///< per operation
    std::vector<std::uint32_t> first_port_of;  ///< per operation: ports are numbered through the graph
    std::vector<port_reference> ports;         ///< by that number
  };

  /// Adds a graph, the graphs that it calls, and their collections. Errors: graph_error.
  void add(std::shared_ptr<graph_definition> const& graph);
  /// No more additions. Errors: graph_error if two collections have one name.
  void close();

  graph_entry const& graph(std::uint32_t number) const { return graphs_[number]; }
  std::size_t graphs() const { return graphs_.size(); }
  /// Errors: graph_error if the graph was not added.
  std::uint32_t number_of(graph_definition const& graph) const;
  std::uint32_t number_of(collection_definition const& collection) const;
  /// Errors: config_error, which begins with `where`, if the program has none of that name. Closed.
  std::uint32_t number_of(std::string const& collection, std::string const& where) const;
  /// Its threads live there at first, in the place of where the program says. Before the run starts. Closed.
  /// Errors: config_error, for other threads or nodes than there are.
  void map(std::string const& collection, mapping const& onto, std::size_t nodes);
  mapping const& initial(std::uint32_t collection) const;
  collection_definition& collection(std::uint32_t number) const { return *collections_[number]; }
  std::size_t collections() const { return collections_.size(); }

  operation_definition const& operation(std::uint32_t graph, std::uint32_t operation) const {
    return graphs_[graph].definition->operations[operation];
  }
  port_definition const& port(std::uint32_t graph, std::uint32_t port) const {
    port_reference const at = graphs_[graph].ports[port];
    return operation(graph, static_cast<std::uint32_t>(at.operation)).ports[at.port];
  }

  /// For records: names and numbers. Closed.
  run_definitions definitions(std::string application, std::string backend, std::vector<double> capacities,
                              node_id node) const;
  /// The operation that opened a group on this port: "split 'cut'"
  std::string opener(std::uint32_t graph, std::uint32_t port) const;
  /// "workers[3]"
  std::string name(thread_address thread) const;
  /// Where the threads of a collection live at first, in a run of so many nodes. Errors: config_error.
  std::vector<node_id> first_mapping(std::uint32_t collection, std::size_t nodes) const;
  /// Nodes of a run of so many that have a thread at first, and node 0. Errors: config_error.
  std::set<node_id> nodes_at_first(std::size_t nodes) const;
  /// In what two processes of one run must agree, in an order in which the first difference explains others.
  /// Cost: one pass over the parameters of bodies.
  ovlp::facts facts(std::size_t nodes) const;

 private:
  std::vector<graph_entry> graphs_;
  std::vector<std::shared_ptr<collection_definition>> collections_;
  std::map<graph_definition const*, std::uint32_t> graph_numbers_;
  std::map<collection_definition const*, std::uint32_t> collection_numbers_;
  std::map<std::uint32_t, mapping> mapped_;  ///< collections whose first mapping is not the program's
  bool closed_ = false;
};

}  // namespace ovlp
