// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/graph.hpp>

namespace ovlp {
namespace detail {

/// An operation of a chain, and the route of the edge to it.
struct stage {
  operation_definition operation;
  route_definition route;
};

}  // namespace detail

/// The short form of a graph without branches: `split >> leaf >> merge`. Each operation has one port, and the route of
/// an operation is that of its incoming edge. Converts to graph<In, Out>.
///
///     ovlp::graph const squares = ovlp::split("cut", master.at(0), cut).window(16) >>
///                                 ovlp::leaf("square", workers.in_turn(), square) >>
///                                 ovlp::reduce("sum", master.at(0), std::plus<>{});
///     int const found = run(squares, 10);
///
/// A value: copies have operations of their own, and each conversion makes another graph. So an engine takes a chain
/// itself, `run(a >> b >> c, input)`, as its first call only; what is called again is a graph.
/// Errors: what one operation gives and the next does not take does not compile.
template <class In, class Out>
class chain {
 public:
  explicit chain(std::vector<detail::stage> stages) : stages_(std::move(stages)) {}

  /// The same chain with a bound on the objects in circulation between the last operation's port and its closer; see
  /// port::window. So it stands behind the split: `split(...).window(16) >> ...`.
  chain window(std::size_t objects) const {
    chain bounded = *this;
    bounded.stages_.back().operation.ports.front().window = objects;
    return bounded;
  }

  /// The graph, called after its operations. Errors: graph_error if the structure is wrong.
  operator graph<In, Out>() const {  // NOLINT(google-explicit-constructor): a chain is a graph
    std::string all;
    for (detail::stage const& s : stages_) all += (all.empty() ? "" : " >> ") + s.operation.name;
    return named(std::move(all));
  }

  /// The graph with a name of its own, as `ovlp::graph g{"name", a >> b}` makes it. Errors: as above.
  graph<In, Out> named(std::string name) const {
    graph<In, Out> built(std::move(name));
    graph_definition& definition = *built.definition();
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      definition.operations.push_back(stages_[i].operation);
      if (i > 0) built.connect({i - 1, 0}, {i, stages_[i].route});
    }
    definition.entry = edge_definition{0, stages_.front().route};
    definition.exit = stages_.size() - 1;
    definition.check();
    return built;
  }

  /// For operator>>.
  std::vector<detail::stage> const& stages() const { return stages_; }

 private:
  std::vector<detail::stage> stages_;
};

// `ovlp::graph g = a >> b;` finds out In and Out.
template <class In, class Out>
graph(chain<In, Out>) -> graph<In, Out>;
template <class In, class Out>
graph(std::string, chain<In, Out>) -> graph<In, Out>;

namespace detail {

/// A chain of one operation; a body of another kind does not compile, with one message.
template <operation_kind Kind, class State, class Route, class Body, class... Constants>
auto make_chain(std::string name, placed_route<State, Route> where, Body given, Constants... constants) {
  auto body = bind_constants(std::move(given), std::move(constants)...);
  using bound = decltype(body);
  expect_kind<Kind, bound>();
  if constexpr (kind_of<bound>() == Kind) {
    expect_state<bound, State>();
    using input = typename signature<bound>::input;
    using ports = ports_of<bound>;
    static_assert(ports::size == 1, "the short form a >> b takes operations with one port; use graph");
    return chain<input, first_of<ports>>({{define_operation(std::move(name), where.collection, std::move(body)),
                                           make_route<input>(std::move(where.route))}});
  }
}
/// For the compiler's message only: a collection without a route.
template <operation_kind, class State, class... Rest>
void make_chain(std::string const&, threads<State> const&, Rest const&...) {
  static_assert(!std::is_same_v<State, State>,
                "the short form says to which thread an object goes: threads.by(&In::member), threads.in_turn(), "
                "threads.at(0)");
}

}  // namespace detail

// Operations of the short form: a name for messages and traces, a collection with the route to it
// (`workers.in_turn()`), and a body (operation.hpp). In each body `here<State>&` may stand first, and `constants`,
// which do not change in a run, are given to its last parameters.

/// One in, one out: `Out body(In)`.
///
///     ovlp::leaf("scale", workers.in_turn(), [](double x, double factor) { return x * factor; }, 2.5)
///
/// As all of these it gives a chain of one operation.
/// Errors: does not compile for a body of another kind, a route by a member of another type, or the state of another
///         collection.
template <class Where, class Body = detail::system_function, class... Constants>
auto leaf(std::string name, Where where, Body body, Constants... constants) {
  return detail::make_chain<operation_kind::leaf>(std::move(name), std::move(where), std::move(body),
                                                  std::move(constants)...);
}
/// One in, any number out: `void body(In, out<A>&)`. Errors: does not compile for several ports: use graph.
template <class Where, class Body = detail::system_function, class... Constants>
auto split(std::string name, Where where, Body body, Constants... constants) {
  return detail::make_chain<operation_kind::split>(std::move(name), std::move(where), std::move(body),
                                                   std::move(constants)...);
}
/// Any number in, one out: `Out body(in<In>&)`. All objects of a group must be routed to one thread: at, at_opener, or
/// by a value that is the same for all.
template <class Where, class Body = detail::system_function, class... Constants>
auto merge(std::string name, Where where, Body body, Constants... constants) {
  return detail::make_chain<operation_kind::merge>(std::move(name), std::move(where), std::move(body),
                                                   std::move(constants)...);
}
/// Any number in, any number out: `void body(in<In>&, out<A>&)`. Routed as a merge.
template <class Where, class Body = detail::system_function, class... Constants>
auto stream(std::string name, Where where, Body body, Constants... constants) {
  return detail::make_chain<operation_kind::stream>(std::move(name), std::move(where), std::move(body),
                                                    std::move(constants)...);
}

/// `left`, and then `right`: an edge from the last operation of the one to the first of the other. Both stay as they
/// are.
template <class In, class Left, class Right, class Out>
chain<In, Out> operator>>(chain<In, Left> const& left, chain<Right, Out> const& right) {
  static_assert(std::is_same_v<Left, Right>, "an edge joins equal types: what one operation gives, the next takes");
  std::vector<detail::stage> stages = left.stages();
  stages.insert(stages.end(), right.stages().begin(), right.stages().end());
  return chain<In, Out>(std::move(stages));
}

}  // namespace ovlp
