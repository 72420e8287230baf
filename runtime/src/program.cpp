// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/program.hpp>

#include <bit>
#include <sstream>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/flowgraph/version.hpp>

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
  operation_definition const& opened_it =
      operation(graph, static_cast<std::uint32_t>(graphs_[graph].ports[port].operation));
  return std::string(kind_name(opened_it.kind)) + " '" + opened_it.name + "'";
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

std::string program::description(std::size_t nodes) const {
  std::ostringstream text;
  text << "ovlp " << version() << (std::endian::native == std::endian::little ? " little" : " big") << " endian, "
       << sizeof(void*) << " byte pointers\n";
  for (std::uint32_t c = 0; c < collections_.size(); ++c) {
    collection_definition const& collection = *collections_[c];
    text << "collection " << collection.name << " state "
         << (collection.state.type != nullptr ? collection.state.type->layout() : "that stays");
    for (node_id node : first_mapping(c, nodes)) text << " " << node;
    text << "\n";
  }
  for (graph_entry const& entry : graphs_) {
    graph_definition const& graph = *entry.definition;
    text << "graph " << graph.name << " enters " << graph.entry->target << " leaves " << *graph.exit << "\n";
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
      operation_definition const& operation = graph.operations[o];
      text << kind_name(operation.kind) << " " << operation.name << " on " << entry.collection_of[o] << " takes "
           << operation.input->layout();
      for (port_definition const& port : operation.ports) {
        text << ", port " << port.type->layout() << " window " << port.window;
        if (port.discarded) text << " discarded";
        if (port.edge) {
          text << " to " << port.edge->target << " by " << static_cast<int>(port.edge->route.kind) << " "
               << port.edge->route.argument;
        }
      }
      text << "\n";
    }
  }
  return text.str();
}

std::uint64_t program::fingerprint(std::size_t nodes) const {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, 64 bit
  for (char c : description(nodes)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace ovlp
