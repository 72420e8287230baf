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

/// An operation of a chain, with the route of the edge to it, and where what it posts on side goes, by port.
struct stage {
  operation_definition operation;
  route_definition route;
  std::vector<std::vector<stage>> aside{};
};

/// Adds the operations and the edges between them; the first one is the next of the graph. Returns the last one.
std::size_t add_stages(graph_definition& to, std::vector<stage> const& stages);

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
///
/// `Posts` are the types that the last operation posts beside its result, and of which the chain does not say yet where
/// they go: aside() does.
/// Errors: what one operation gives and the next does not take does not compile.
template <class In, class Out, class... Posts>
class chain {
 public:
  explicit chain(std::vector<detail::stage> stages) : stages_(std::move(stages)) {}

  /// The same chain with the place where the last operation's next port leads, beside its result: a chain that returns
  /// nothing.
  ///
  ///     ovlp::everywhere("sweep", strips, sweep).aside(ovlp::leaf("take", strips.relative(1), take)) >>
  ///         ovlp::reduce("sum", strips.at(0), std::plus<>{})
  template <class Taken>
  auto aside(chain<Taken, void> const& to) const {
    static_assert(sizeof...(Posts) > 0, "aside: the operation posts on no port that leads nowhere yet");
    if constexpr (sizeof...(Posts) > 0) {
      return [&]<class First, class... Rest>(detail::type_list<First, Rest...>) {
        static_assert(std::is_same_v<First, Taken>,
                      "an edge joins equal types: what one operation posts, the next takes");
        std::vector<detail::stage> all = stages_;
        all.back().aside.push_back(to.stages());
        return chain<In, Out, Rest...>(std::move(all));
      }(detail::type_list<Posts...>{});
    }
  }

  /// The same chain with a bound on the objects in circulation between the last operation's port and its closer; see
  /// port::window. So it stands behind the split: `split(...).window(16) >> ...`. Of an operation that posts beside its
  /// result it bounds what it posts on the next port, whose way aside() then says: `leaf(...).window(16).aside(...)`.
  chain window(std::size_t objects) const {
    static_assert(!std::is_void_v<Out>, "window: the operation has no port");
    chain bounded = *this;
    detail::stage& last = bounded.stages_.back();
    std::size_t const port = sizeof...(Posts) > 0 ? 1 + last.aside.size() : 0;
    last.operation.ports[port].window = objects;
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
    static_assert(sizeof...(Posts) == 0,
                  "the chain does not say where its last operation's ports lead: aside is missing");
    graph<In, Out> built(std::move(name));
    graph_definition& definition = *built.definition();
    std::size_t const last = detail::add_stages(definition, stages_);
    definition.entry = edge_definition{0, stages_.front().route};
    if constexpr (!std::is_void_v<Out>) definition.exit = last;
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
    using result = typename signature<bound>::result;
    using outs = typename signature<bound>::outs;
    constexpr bool posts = outs::size > 0 && std::is_void_v<result>;
    static_assert(!posts || outs::size == 1, "the short form a >> b takes splits and streams with one port; use graph");
    std::vector<stage> all{{define_operation(std::move(name), where.collection, std::move(body)),
                            make_route<input>(std::move(where.route))}};
    if constexpr (posts) {
      return chain<input, first_of<outs>>(std::move(all));
    } else {
      return
          [&]<class... Posts>(type_list<Posts...>) { return chain<input, result, Posts...>(std::move(all)); }(outs{});
    }
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

/// One in, one out: `Out body(In)`; or none, `void body(In)`: the end of a path.
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
template <class In, class Left, class... Open, class Right, class Out, class... Posts>
chain<In, Out, Posts...> operator>>(chain<In, Left, Open...> const& left, chain<Right, Out, Posts...> const& right) {
  static_assert(std::is_same_v<Left, Right>, "an edge joins equal types: what one operation gives, the next takes");
  static_assert(sizeof...(Open) == 0, "what the operation on the left posts leads nowhere: aside is missing");
  std::vector<detail::stage> stages = left.stages();
  stages.insert(stages.end(), right.stages().begin(), right.stages().end());
  return chain<In, Out, Posts...>(std::move(stages));
}

}  // namespace ovlp
