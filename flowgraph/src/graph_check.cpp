// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/graph_definition.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include <ovlp/base/error.hpp>

namespace ovlp {
namespace {

using digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using vertex = boost::graph_traits<digraph>::vertex_descriptor;

/// Visits what the entry reaches; finds a cycle; gives the operations in topological order, last first.
struct visitor : boost::dfs_visitor<> {
  std::vector<std::size_t>& finished;
  std::vector<std::size_t>& path;
  std::vector<std::size_t>& cycle;

  void discover_vertex(vertex v, digraph const&) { path.push_back(v); }
  void finish_vertex(vertex v, digraph const&) {
    path.pop_back();
    finished.push_back(v);
  }
  void back_edge(digraph::edge_descriptor edge, digraph const& graph) {
    if (cycle.empty()) cycle.assign(std::find(path.begin(), path.end(), boost::target(edge, graph)), path.end());
  }
};

/// The end of a path at its own level of nesting: a closer, the graph's exit, or an operation that returns nothing.
constexpr std::size_t exit_of_graph = std::numeric_limits<std::size_t>::max();
constexpr std::size_t without_answer = exit_of_graph - 1;

class checker {
 public:
  explicit checker(graph_definition& graph) : graph_(graph) {}

  void check() {
    check_ends();
    check_ports();
    order();
    find_closers();
    run_level(std::nullopt);
    for (port_reference const at : all_ports()) {
      if (operation(at.operation).opens(at.port) && !port(at).discarded) run_level(at);
    }
    keep_inputs();
  }

 private:
  operation_definition& operation(std::size_t index) { return graph_.operations[index]; }
  port_definition& port(port_reference at) { return operation(at.operation).ports[at.port]; }
  std::vector<port_reference> all_ports() const {
    std::vector<port_reference> all;
    for (std::size_t o = 0; o < graph_.operations.size(); ++o) {
      for (std::size_t p = 0; p < graph_.operations[o].ports.size(); ++p) all.push_back({o, p});
    }
    return all;
  }

  [[noreturn]] void fail(std::string const& what) const { throw graph_error("graph '" + graph_.name + "': " + what); }
  template <class Operation>
  std::string name(Operation what) const {
    return graph_.describe(what);
  }

  void check_ends() {
    if (graph_.operations.empty()) fail("no operations");
    if (!graph_.entry) fail("no entry: enter(operation, route) is missing");
    if (!graph_.exit && graph_.returns) fail("no exit: leave(operation) is missing");
    if (graph_.exit && is_opener(operation(*graph_.exit).kind)) {
      fail("the exit is " + name(*graph_.exit) + ": expected a leaf or a merge, which have one result");
    }
    if (graph_.entry->route.kind == route_kind::least_loaded || graph_.entry->route.kind == route_kind::at_opener) {
      fail("the entry " + name(graph_.entry->target) +
           " is not in a group: its route cannot be least_loaded or at_opener");
    }
    if (is_closer(operation(graph_.entry->target).kind)) {
      fail("the entry is " + name(graph_.entry->target) + ": expected a leaf or a split, since no group is open there");
    }
  }

  void check_ports() {
    for (port_reference const at : all_ports()) {
      operation_kind const kind = operation(at.operation).kind;
      bool const opens = operation(at.operation).opens(at.port), exit = at.operation == graph_.exit && !opens;
      port_definition const& here = port(at);
      if (here.edge && exit) fail(name(at) + " has an edge, but the operation is the graph's exit");
      if (here.edge && here.discarded) fail(name(at) + " has an edge and is discarded");
      if (here.discarded && !opens)
        fail(name(at) + " is discarded, but a " + std::string(kind_name(kind)) + " always has a result");
      if (!here.edge && !here.discarded && !exit)
        fail(name(at) + " leads nowhere: an edge, leave or discard is missing");
      if (here.window > 0 && !opens) fail(name(at) + " has a window, but is a result, and opens no group");
      if (here.edge && here.edge->route.kind == route_kind::least_loaded && !opens)
        fail("the edge from " + name(at) + " is least_loaded, but does not leave a port that opens groups");
    }
  }

  void order() {
    digraph structure(graph_.operations.size());
    for (port_reference const at : all_ports()) {
      if (port(at).edge) boost::add_edge(at.operation, port(at).edge->target, structure);
    }
    std::vector<std::size_t> path;
    std::vector<std::size_t> cycle;
    std::vector<boost::default_color_type> colors(graph_.operations.size());
    boost::depth_first_visit(
        structure, graph_.entry->target, visitor{{}, last_first_, path, cycle},
        boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, structure)));
    if (!cycle.empty()) {
      std::string text;
      for (std::size_t o : cycle) text += name(o) + " -> ";
      fail("a cycle: " + text + name(cycle.front()));
    }
    for (std::size_t o = 0; o < graph_.operations.size(); ++o) {
      if (colors[o] == boost::white_color) fail(name(o) + " cannot be reached from the entry");
    }
  }

  /// Where an object that goes to `target` leaves its group: at target, or where target's level ends.
  std::size_t end_at(std::size_t target) { return is_closer(operation(target).kind) ? target : end_after_[target]; }

  /// `end_after_[o]`: where the level that o runs in ends. All paths from o must say the same, but for those that end
  /// on side.
  void find_closers() {
    end_after_.assign(graph_.operations.size(), exit_of_graph);
    for (std::size_t o : last_first_) {
      std::optional<std::size_t> end;
      std::optional<port_reference> first;
      bool posts_aside = false;
      for (std::size_t p = 0; p < operation(o).ports.size(); ++p) {
        port_reference const at{o, p};
        port_definition& here = port(at);
        if (here.discarded) continue;
        std::size_t here_end = here.edge ? end_at(here.edge->target) : exit_of_graph;
        if (operation(o).opens(p)) {
          here.side = here_end == without_answer;
          posts_aside |= here.side;
          if (here.side) continue;
          if (here_end == exit_of_graph) fail(name(at) + " is not closed: its objects reach the exit without a merge");
          if (operation(o).returns())
            fail(name(at) + " is closed by " + name(here_end) + ", but a " + std::string(kind_name(operation(o).kind)) +
                 " that returns a value posts on side: expected paths that end in operations that return nothing");
          here.closer = here_end;
          operation(here_end).closes.push_back(at);
          here_end = end_after_[here_end];
        }
        if (end && *end != here_end) {
          fail("paths from " + name(*first) + " end " + end_name(*end) + ", those from " + name(at) + " " +
               end_name(here_end));
        }
        end = here_end;
        if (!first) first = at;
      }
      operation(o).ends_path = !end && (posts_aside || operation(o).ports.empty());
      if (operation(o).ends_path) end = without_answer;
      if (!end) fail(name(o) + " discards all its ports: what it takes in never reaches an end");
      end_after_[o] = *end;
    }
    for (std::size_t o : last_first_) {
      operation_definition& closer = operation(o);
      if (is_closer(closer.kind) && closer.closes.empty()) fail(name(o) + " closes no port: no group is open there");
      std::ranges::sort(closer.closes);
    }
  }

  /// A closer that takes what the opener received finds it in the thread where both run.
  void keep_inputs() {
    for (std::size_t o = 0; o < graph_.operations.size(); ++o) {
      object_type const* const opened = operation(o).opened;
      if (opened == nullptr) continue;
      for (port_reference const at : operation(o).closes) {
        operation_definition& opener = operation(at.operation);
        std::string const takes = name(o) + " takes what the opener of its group received (" + type_name(*opened) + ")";
        if (opener.kind != operation_kind::split)
          fail(takes + ", but " + name(at.operation) + " receives many objects");
        if (opener.input != opened)
          fail(takes + ", but " + name(at.operation) + " receives " + type_name(*opener.input));
        if (!opener.copies_input) fail(takes + ", but that cannot be copied");
        if (!port(at).closed_at_opener) fail(takes + ": the edges to it must be at_opener()");
        opener.keeps_input = true;
      }
    }
  }

  std::string end_name(std::size_t end) const {
    return end == without_answer ? "without an answer" : "at " + (end == exit_of_graph ? "the exit" : name(end));
  }

  /// Follows one object of a port (or of a call) through its level of nesting, where each operation runs once for it,
  /// each port that an opener opens is a group, and a closer runs once all of its ports have been opened.
  /// Exactly one object must come to the level's end, or its path must end once.
  void run_level(std::optional<port_reference> opened_by) {
    std::string const of = opened_by ? "one object of " + name(*opened_by) : "one call";
    std::map<std::size_t, std::size_t> open;  // closer -> its ports opened so far
    std::map<std::size_t, std::size_t> runs;  // operation -> where its object came from
    std::deque<std::size_t> ready;
    std::size_t ends = 0;
    auto arrive = [&](edge_definition const& edge, std::size_t from) {
      if (edge.route.kind == route_kind::at_opener &&
          (!opened_by || operation(opened_by->operation).threads != operation(edge.target).threads)) {
        fail("the edge to " + name(edge.target) + " is at_opener, but " +
             (opened_by ? name(opened_by->operation) + " runs in another collection" : "no group is open there"));
      }
      if (is_closer(operation(edge.target).kind)) {
        if (opened_by) port(*opened_by).closed_at_opener = edge.route.kind == route_kind::at_opener;
        ++ends;
        if (ends > 1) fail("two results for " + of + " at " + name(edge.target) + ", one from " + name(from));
        return;
      }
      auto const [run, first] = runs.emplace(edge.target, from);
      if (!first)
        fail(name(edge.target) + " would run twice for " + of + ": after " + name(run->second) + " and after " +
             name(from));
      ready.push_back(edge.target);
    };
    arrive(opened_by ? *port(*opened_by).edge : *graph_.entry, opened_by ? opened_by->operation : graph_.entry->target);
    while (!ready.empty()) {
      std::size_t const o = ready.front();
      ready.pop_front();
      if (operation(o).ends_path && ++ends > 1) fail(of + " ends twice without an answer: in " + name(o) + ", too");
      for (std::size_t number = 0; number < operation(o).ports.size(); ++number) {
        port_definition const& p = operation(o).ports[number];
        if (!operation(o).opens(number)) {
          if (p.edge) arrive(*p.edge, o);
          else if (++ends > 1) fail("two results for " + of + " at the exit");
        } else if (p.closer && ++open[*p.closer] == operation(*p.closer).closes.size()) {
          runs.emplace(*p.closer, o);
          ready.push_back(*p.closer);
        }
      }
    }
    for (auto const& [closer, ports] : open) {
      if (ports == operation(closer).closes.size()) continue;
      std::string list;
      for (port_reference at : operation(closer).closes) {
        list += (list.empty() ? "" : " and ") + name(at);
        if (!runs.contains(at.operation)) list += " (not opened)";
      }
      fail(name(closer) + " closes " + list + ", which are not all opened for " + of);
    }
  }

  graph_definition& graph_;
  std::vector<std::size_t> last_first_;  // reached operations, each after those that it leads to
  std::vector<std::size_t> end_after_;
};

}  // namespace

void graph_definition::check() {
  if (checked_) return;
  for (operation_definition& operation : operations) operation.closes.clear();
  checker(*this).check();
  for (operation_definition& operation : operations) {
    for (auto const& called : operation.calls) called->check();
  }
  checked_ = true;
}

}  // namespace ovlp
