// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/program.hpp>

#include <optional>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/flowgraph/walk.hpp>

namespace ovlp {

void program::add(std::shared_ptr<graph_definition> const& graph) {
  if (graph_numbers_.contains(graph.get())) return;
  if (closed_) {
    throw graph_error("graph '" + graph->name + "' was not known at the first call: other processes cannot know it " +
                      "either; add it before, with add(graph)");
  }
  graph->check();
  graph_numbers_.emplace(graph.get(), static_cast<std::uint32_t>(graphs_.size()));
  graph_entry entry{graph, {}, {}, {}};
  for (std::size_t o = 0; o < graph->operations.size(); ++o) {
    operation_definition const& operation = graph->operations[o];
    auto const [found, added] =
        collection_numbers_.emplace(operation.threads.get(), static_cast<std::uint32_t>(collections_.size()));
    if (added) collections_.push_back(operation.threads);
    entry.collection_of.push_back(found->second);
    entry.first_port_of.push_back(static_cast<std::uint32_t>(entry.ports.size()));
    for (std::size_t p = 0; p < operation.ports.size(); ++p) entry.ports.push_back({o, p});
  }
  graphs_.push_back(std::move(entry));
  for (operation_definition const& operation : graph->operations) {
    for (auto const& called : operation.calls) add(called);
  }
}

void program::close() {
  std::map<std::string, collection_definition const*> names;
  for (auto const& collection : collections_) {
    if (!names.emplace(collection->name, collection.get()).second) {
      throw graph_error("two thread collections are named '" + collection->name + "'");
    }
  }
  closed_ = true;
}

std::uint32_t program::number_of(graph_definition const& graph) const {
  auto const found = graph_numbers_.find(&graph);
  if (found == graph_numbers_.end()) {
    throw graph_error("graph '" + graph.name + "' is called but was not added before the first call, with add(graph)");
  }
  return found->second;
}

std::uint32_t program::number_of(collection_definition const& collection) const {
  auto const found = collection_numbers_.find(&collection);
  if (found == collection_numbers_.end()) {
    throw graph_error("collection '" + collection.name + "' is not used by any graph of the run");
  }
  return found->second;
}

run_definitions program::definitions(std::string application, std::string backend, std::vector<double> capacities,
                                     node_id node) const {
  auto const nodes = static_cast<std::uint32_t>(capacities.size());
  run_definitions made{std::move(application), std::move(backend), nodes, node, {}, {}, std::move(capacities)};
  for (auto const& collection : collections_) made.collections.push_back(collection->name);
  for (graph_entry const& entry : graphs_) {
    run_definitions::graph& graph = made.graphs.emplace_back(run_definitions::graph{entry.definition->name, {}});
    for (std::size_t o = 0; o < entry.collection_of.size(); ++o) {
      operation_definition const& operation = entry.definition->operations[o];
      graph.operations.push_back({std::string(kind_name(operation.kind)), operation.name, entry.collection_of[o]});
    }
  }
  return made;
}

std::string program::opener(std::uint32_t graph, std::uint32_t port) const {
  return graphs_[graph].definition->describe(graphs_[graph].ports[port].operation);
}

std::uint32_t program::number_of(std::string const& collection, std::string const& where) const {
  std::string known;
  for (std::uint32_t c = 0; c < collections_.size(); ++c) {
    if (collections_[c]->name == collection) return c;
    known += (known.empty() ? "" : ", ") + collections_[c]->name;
  }
  throw config_error(where + ": expected a collection of " + known + ", got '" + collection + "'");
}

void program::map(std::string const& collection, mapping const& onto, std::size_t nodes) {
  std::uint32_t const number = number_of(collection, "--mapping");
  std::size_t const threads = first_mapping(number, nodes).size();
  std::size_t const mapped = onto.resolve(nodes, collection).size();
  if (mapped != threads)
    throw config_error("--mapping " + collection + ": expected " + std::to_string(threads) + " threads, got " +
                       std::to_string(mapped));
  mapped_.insert_or_assign(number, onto);
}

mapping const& program::initial(std::uint32_t collection) const {
  auto const found = mapped_.find(collection);
  return found == mapped_.end() ? collections_[collection]->initial : found->second;
}

std::string program::name(thread_address thread) const {
  return collections_[thread.collection]->name + "[" + std::to_string(thread.index) + "]";
}

std::vector<node_id> program::first_mapping(std::uint32_t collection, std::size_t nodes) const {
  return initial(collection).resolve(nodes, collections_[collection]->name);
}

std::set<node_id> program::nodes_at_first(std::size_t nodes) const {
  std::set<node_id> mapped{0};
  for (std::uint32_t c = 0; c < collections_.size(); ++c) {
    for (node_id node : first_mapping(c, nodes)) mapped.insert(node);
  }
  return mapped;
}

namespace {

fact structure(std::string what, std::string const& value) {
  return {fact::kind::structure, std::move(what), std::nullopt, detail::digest_of(value)};
}

void write_edge(base::text_writer& text, edge_definition const& edge) {
  text << edge.target << " by " << static_cast<int>(edge.route.kind) << " " << edge.route.argument;
}

std::string structure_of(port_definition const& port) {
  base::text_writer text;
  text << port.type->layout() << " window " << port.window;
  if (port.discarded) text << " discarded";
  if (port.edge) {
    text << " to ";
    write_edge(text, *port.edge);
  }
  return text.str();
}

fact value_of(parameter_definition const& parameter, std::string const& where) {
  std::string const what =
      "parameter " + std::to_string(parameter.place) + " (" + type_name(*parameter.cpp_type) + ")" + where;
  if (parameter.text != nullptr) return {fact::kind::value, what, parameter.text(parameter.value.get()), 0};
  return {fact::kind::value, what, std::nullopt, parameter.digest(parameter.value.get())};
}

}  // namespace

facts program::facts(std::size_t nodes) const {
  ovlp::facts all;
  for (std::uint32_t c = 0; c < collections_.size(); ++c) {
    collection_definition const& collection = *collections_[c];
    std::string const of = " of collection '" + collection.name + "'";
    std::vector<node_id> const threads = first_mapping(c, nodes);
    all.push_back({fact::kind::value, "the number of threads" + of, std::to_string(threads.size()), 0});
    all.push_back({fact::kind::value, "where the threads" + of + " live", std::nullopt, detail::digest_of(threads)});
    all.push_back(structure("the state" + of, collection.state.type != nullptr ? collection.state.type->layout() : ""));
  }
  for (graph_entry const& entry : graphs_) {
    graph_definition const& graph = *entry.definition;
    std::string const of = " of graph '" + graph.name + "'";
    base::text_writer ends;
    write_edge(ends, *graph.entry);
    if (graph.exit) ends << ", " << *graph.exit;
    all.push_back(structure("entry or exit" + of, ends.str()));
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
      operation_definition const& operation = graph.operations[o];
      std::string const name = graph.describe(o) + of;
      base::text_writer text;
      text << entry.collection_of[o] << " " << operation.input->layout();
      all.push_back(structure(name, text.str()));
      for (std::size_t p = 0; p < operation.ports.size(); ++p)
        all.push_back(structure("port " + std::to_string(p) + " of " + name, structure_of(operation.ports[p])));
    }
  }
  for (graph_entry const& entry : graphs_) {
    graph_definition const& graph = *entry.definition;
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
      for (parameter_definition const& parameter : graph.operations[o].parameters)
        all.push_back(value_of(parameter, " of " + graph.describe(o) + " of graph '" + graph.name + "'"));
    }
  }
  return all;
}

}  // namespace ovlp
