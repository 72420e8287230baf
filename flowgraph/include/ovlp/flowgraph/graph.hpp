// SPDX-License-Identifier: BSD-3-Clause
// The long form of a flow graph: operations are added, then joined by edges, port by port. The short form, for graphs
// without branches, is in chain.hpp.
//
// These are typed faces, with no data of their own but a shared graph_definition, in which types are erased: what
// types can tell is told by the compiler, the rest by graph_definition::check(); the runtime sees definitions only.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/bodies.hpp>
#include <ovlp/flowgraph/graph_definition.hpp>

namespace ovlp {

/// A port of an operation of a graph that is being built. A handle: copies mean the same port.
template <class T>
class port {
 public:
  port(std::shared_ptr<graph_definition> graph, port_reference at) : graph_(std::move(graph)), at_(at) {}

  /// Bounds the objects in circulation between this port and its closer: post() suspends at the bound, and the
  /// closer's wait() makes room. 0: no bound. Each group has the whole window for itself.
  ///
  /// Choose a few objects for each thread on the way. A closer that waits for a certain object among the others may
  /// wait for ever if the window is smaller than what comes before that.
  /// Errors: graph_error if the graph is in use; from check(), for the port of a leaf or merge.
  port& window(std::size_t objects) {
    graph_->expect_open();
    definition().window = objects;
    return *this;
  }

  // For `graph`.
  port_definition& definition() const { return graph_->operations[at_.operation].ports[at_.port]; }
  port_reference reference() const { return at_; }
  graph_definition const* graph() const { return graph_.get(); }

 private:
  std::shared_ptr<graph_definition> graph_;
  port_reference at_;
};

namespace detail {

/// The place of T among the types.
template <class T, class... Types>
constexpr std::size_t index_of() {
  std::size_t index = 0;
  static_cast<void>(((std::is_same_v<T, Types> ? false : (++index, true)) && ...));
  return index;
}
/// How often T is among the types.
template <class T, class... Types>
inline constexpr std::size_t count_of = (std::size_t{0} + ... + (std::is_same_v<T, Types> ? 1 : 0));

/// An operation without its types. The body has been checked: it has a kind.
template <class Body>
operation_definition define_operation(std::string name, std::shared_ptr<collection_definition> collection, Body body) {
  using shape = signature<Body>;
  operation_definition definition;
  definition.name = std::move(name);
  definition.kind = *kind_of<Body>();
  definition.threads = std::move(collection);
  definition.input = &type_of<typename shape::input>();
  definition.copies_input = std::is_copy_constructible_v<typename shape::input>;
  if constexpr (!std::is_void_v<typename shape::opened>) definition.opened = &type_of<typename shape::opened>();
  [&]<class... Types>(type_list<Types...>) {
    ((definition.ports.emplace_back().type = &type_of<Types>()), ...);
  }(ports_of<Body>{});
  if constexpr (is_bound<Body>) definition.parameters = body.parameters();
  definition.body = erase_body(std::move(body), typename shape::outs{});
  return definition;
}

/// Fails to compile if the body takes the state of another collection.
template <class Body, class State>
constexpr void expect_state() {
  using wanted = typename signature<Body>::state;
  static_assert(std::is_void_v<wanted> || std::is_same_v<wanted, State>,
                "the operation's here<State> must have the state type of the collection that it runs in");
}

}  // namespace detail

template <class In, class Out, class... Posts>
class chain;

/// An operation of a graph that is being built, with its types: one input, and its ports. A handle: copies mean the
/// same operation. It keeps the graph alive.
template <class In, class... Outs>
class operation {
 public:
  operation(std::shared_ptr<graph_definition> graph, std::size_t entry, std::size_t exit)
      : graph_(std::move(graph)), entry_(entry), exit_(exit) {}

  /// The port of type T: `sort.port<Even>()`. Where several have this type, name it by number.
  template <class T>
  ovlp::port<T> port() const {
    static_assert(detail::count_of<T, Outs...> == 1, "port<T>(): the operation must have exactly one port of type T");
    return {graph_, {exit_, detail::index_of<T, Outs...>()}};
  }
  /// The port of this number, from 0 in the order of the body's parameters: `sort.port<0>()`. That of a leaf or merge
  /// which returns a value is its result; what it posts on begins with 1.
  template <std::size_t Number>
  auto port() const {
    static_assert(Number < sizeof...(Outs), "port<number>(): the operation has fewer ports");
    return ovlp::port<std::tuple_element_t<Number, std::tuple<Outs...>>>{graph_, {exit_, Number}};
  }

  // For `graph`: where edges lead to, and from where they come.
  std::size_t entry() const { return entry_; }
  std::size_t exit() const { return exit_; }
  graph_definition const* graph() const { return graph_.get(); }
  /// The same with another operation before it.
  operation entered_at(std::size_t entry) const { return {graph_, entry, exit_}; }

 private:
  std::shared_ptr<graph_definition> graph_;
  std::size_t entry_;  ///< differs from exit_ where a graph stands for an operation
  std::size_t exit_;
};

/// A flow graph that takes an In and gives an Out. A handle: copies mean the same graph.
///
///     ovlp::graph<int, int> g{"sum of squares"};
///     auto cut = g.split("cut", master, [](int n, ovlp::out<int>& to) { for (int i = 0; i < n; ++i) to.post(i); });
///     auto square = g.leaf("square", workers, [](int i) { return i * i; });
///     auto sum = g.reduce<int>("sum", master, std::plus<>{});
///     g.enter(cut, ovlp::at(0));
///     g.edge(cut.port<int>().window(16), square, ovlp::in_turn());
///     g.edge(square, sum, ovlp::at(0));
///     g.leave(sum);
///     int const found = run(g, 10);  // 285
///
/// Operations are added, then joined by edges. The structure is checked at the first use (or by check()), and cannot
/// be changed afterwards. Building needs no running engine; every process of a run builds the same graphs.
///
/// Shape: one entry, a leaf or split; one exit, a leaf or merge; no cycle; every operation is reached from the entry.
///        Each port has one edge or is discarded. All paths from a port that opens groups end at one merge or stream,
///        its closer, or in operations that return nothing; groups nest. What one object starts gives exactly one
///        result at the end of its level, or ends once. A graph<In, void> has no exit: all its paths end so.
/// Thread: built in one thread, without a lock. Bodies are copied in and live as long as a handle or an engine has the
///         graph.
/// Errors: an edge between unequal types, a body of another kind and the state of another collection do not compile.
///         graph_error, which names graph, operation and port, for what types cannot say.
/// Source: the paper, section 2.
template <class In, class Out>
class graph {
 public:
  /// An empty graph. The name is for messages and traces.
  explicit graph(std::string name = "graph") : definition_(std::make_shared<graph_definition>(std::move(name))) {
    definition_->returns = !std::is_void_v<Out>;
  }
  /// The short form with a name of its own: `graph step{"step", a >> b}`.
  graph(std::string name, chain<In, Out> const& operations) : graph(operations.named(std::move(name))) {}

  /// Adds a leaf, `Out body(In)`, that runs in the threads of `where`; the kinds of bodies are in operation.hpp.
  /// `constants` do not change in a run and are given to the body's last parameters. Returns its handle, an
  /// operation<Input, Outputs...>.
  ///
  ///     auto scale = g.leaf("scale", workers, [](double x, double factor) { return x * factor; }, 2.5);
  ///
  /// Names are for messages, traces and drawings; two operations may have the same.
  /// Errors: does not compile for a body of another kind. graph_error if the graph is in use.
  template <class State, class Body = detail::system_function, class... Constants>
  auto leaf(std::string name, threads<State> const& where, Body body, Constants... constants) {
    return add<operation_kind::leaf>(std::move(name), where, std::move(body), std::move(constants)...);
  }
  /// As leaf(), for `void body(In, out<A>&, ...)`.
  template <class State, class Body = detail::system_function, class... Constants>
  auto split(std::string name, threads<State> const& where, Body body, Constants... constants) {
    return add<operation_kind::split>(std::move(name), where, std::move(body), std::move(constants)...);
  }
  /// As leaf(), for `Out body(in<In>&)`.
  template <class State, class Body = detail::system_function, class... Constants>
  auto merge(std::string name, threads<State> const& where, Body body, Constants... constants) {
    return add<operation_kind::merge>(std::move(name), where, std::move(body), std::move(constants)...);
  }
  /// As leaf(), for `void body(in<In>&, out<A>&, ...)`.
  template <class State, class Body = detail::system_function, class... Constants>
  auto stream(std::string name, threads<State> const& where, Body body, Constants... constants) {
    return add<operation_kind::stream>(std::move(name), where, std::move(body), std::move(constants)...);
  }

  /// Posts a copy of what comes to each thread that the collection has then, and runs a leaf or split with it there.
  /// The copies are made in the thread to which the edge leads. What follows closes their group: gather and
  /// in_group_order take it in the order of the threads.
  template <class State, class Body, class... Constants>
  auto everywhere(std::string name, threads<State> const& where, Body body, Constants... constants) {
    using made = decltype(detail::bind_constants(body, constants...));
    constexpr operation_kind kind = detail::everywhere_kind<made>();
    detail::expect_kind<kind, made>();
    if constexpr (detail::kind_of<made>() == kind) {
      using input = typename detail::signature<made>::input;
      auto const first = split(name + " everywhere", where, detail::post_to_all<State, input>{});
      auto const each = add<kind>(std::move(name), where, std::move(body), std::move(constants)...);
      edge(first, each, in_turn());
      return each.entered_at(first.entry());
    }
  }
  /// A merge that adds up the objects of a group by `T function(T, T)`, in order of arrival; an empty group gives T{}.
  /// With in_group_order as they were posted, so that rounding is the same in each run: those that arrive early wait.
  template <class T, class State, class Function>
  auto reduce(std::string name, threads<State> const& where, Function function) {
    return merge(std::move(name), where, detail::reduction<T, Function, false>{std::move(function)});
  }
  /// With `in_group_order` as last argument.
  template <class T, class State, class Function>
  auto reduce(std::string name, threads<State> const& where, Function function, in_group_order_tag) {
    return merge(std::move(name), where, detail::reduction<T, Function, true>{std::move(function)});
  }
  /// A merge that gives all objects of a group as a std::vector<T>, in the order in which they were posted.
  template <class T, class State>
  auto gather(std::string name, threads<State> const& where) {
    return merge(std::move(name), where, detail::gathering_body<T>{});
  }

  /// A graph in the place of an operation of the same signature. Its operations are copied in, named "name/...". It is
  /// no call: objects of several groups are in it at once. The route of the edge that leads to it stands for the route
  /// of its own entry. `inner` is checked now and cannot be changed afterwards.
  /// Errors: graph_error of its check.
  template <class PartIn, class PartOut>
  auto part(std::string const& name, graph<PartIn, PartOut> const& inner) {
    auto const [entry, exit] = insert(name, *inner.definition());
    if constexpr (std::is_void_v<PartOut>) return operation<PartIn>{definition_, entry, exit};
    else return operation<PartIn, PartOut>{definition_, entry, exit};
  }

  /// Calls `body` `times` times, each time with the last result: a leaf on `where` that calls a graph. The k-th call
  /// belongs to iteration k. The body is known with this graph; add() is not needed for it. With 0 times the result is
  /// the input.
  template <class State, class T, class Result>
  operation<T, T> repeat(std::string name, threads<State> const& where, graph<T, Result> const& body,
                         std::size_t times) {
    auto repeated =
        repeat_while(std::move(name), where, body, [times](T const&, std::size_t done) { return done < times; });
    definition_->operations.back().parameters = {
        detail::define_parameter<std::size_t>(4, std::make_shared<std::size_t const>(times))};
    return repeated;
  }
  /// Calls `body` until `condition(result)` holds, at least once; else as repeat(). Where kernels do not run, a
  /// condition on what they compute means nothing.
  template <class State, class T, class Result, std::predicate<Result const&> Condition>
  operation<T, T> repeat_until(std::string name, threads<State> const& where, graph<T, Result> const& body,
                               Condition condition) {
    return repeat_while(std::move(name), where, body,
                        [condition](T const& object, std::size_t done) { return done == 0 || !condition(object); });
  }

  /// Joins a port to an operation; the route (route.hpp) chooses the thread for each object.
  /// Errors: graph_error for a second edge from the port, an operation of another graph, or a graph in use.
  template <class T, class Input, class... Outs, class Route>
  void edge(port<T> const& from, operation<Input, Outs...> const& to, Route route) {
    static_assert(std::is_same_v<T, Input>, "an edge joins equal types: the port's and the operation's input");
    expect_own(from.graph(), from.reference().operation);
    expect_own(to.graph(), to.entry());
    connect(from.reference(), {to.entry(), detail::make_route<T>(std::move(route))});
  }
  /// The same for an operation with one port.
  template <class First, class T, class Input, class... Outs, class Route>
  void edge(operation<First, T> const& from, operation<Input, Outs...> const& to, Route route) {
    edge(from.template port<0>(), to, std::move(route));
  }

  /// Where calls of the graph begin, and end. One each. The route chooses the thread for the input of each call.
  /// Errors: graph_error for a second one, or an operation of another graph.
  template <class... Outs, class Route>
  void enter(operation<In, Outs...> const& first, Route route) {
    expect_own(first.graph(), first.entry());
    definition_->expect_open();
    if (definition_->entry) second("entry", definition_->entry->target, first.entry());
    definition_->entry = edge_definition{first.entry(), detail::make_route<In>(std::move(route))};
  }
  /// Its result is the call's. Errors: as enter().
  template <class Last, class... Posts>
  void leave(operation<Last, Out, Posts...> const& last) {
    expect_own(last.graph(), last.exit());
    definition_->expect_open();
    if (definition_->exit) second("exit", *definition_->exit, last.exit());
    definition_->exit = last.exit();
  }
  /// A port that leads nowhere: posting there is an error. For the last level of a graph that a loop builds.
  template <class T>
  void discard(port<T> const& nothing) {
    expect_own(nothing.graph(), nothing.reference().operation);
    definition_->expect_open();
    nothing.definition().discarded = true;
  }

  /// Checks the structure now, not at the first use; once. The graph cannot be changed afterwards.
  /// Errors: graph_error for the first thing that is wrong; the graph can still be changed then.
  void check() const { definition_->check(); }
  /// Draws the graph in the language of Graphviz, checked or not.
  void write_graphviz(std::ostream& to) const { definition_->write_graphviz(to); }
  /// As given; of a chain without a name, those of its operations.
  std::string const& name() const { return definition_->name; }
  /// For engines: what they run.
  std::shared_ptr<graph_definition> const& definition() const { return definition_; }

 private:
  template <operation_kind Kind, class State, class Body, class... Constants>
  auto add(std::string name, threads<State> const& where, Body given, Constants... constants) {
    auto body = detail::bind_constants(std::move(given), std::move(constants)...);
    using made = decltype(body);
    detail::expect_kind<Kind, made>();
    if constexpr (detail::kind_of<made>() == Kind) {
      detail::expect_state<made, State>();
      definition_->expect_open();
      definition_->operations.push_back(detail::define_operation(std::move(name), where.definition(), std::move(body)));
      return [this, index = definition_->operations.size() - 1]<class... Types>(detail::type_list<Types...>) {
        return operation<typename detail::signature<made>::input, Types...>{definition_, index, index};
      }(detail::ports_of<made>{});
    }
  }
  /// A leaf that calls `body` with its own last result while `again(object, number of calls so far)`.
  template <class State, class T, class Result, class Condition>
  operation<T, T> repeat_while(std::string name, threads<State> const& where, graph<T, Result> const& body,
                               Condition again) {
    constexpr bool goes_round = std::is_same_v<T, Result>;
    static_assert(goes_round, "what is repeated takes what it gives: expected a graph<T, T>, got a graph<In, Out>");
    if constexpr (goes_round) {
      auto repeated = leaf(std::move(name), where, [body, again](here<State>& here, T object) {
        for (std::size_t done = 0; again(object, done); ++done) {
          here.iteration(static_cast<int>(done + 1));
          object = here.call(body, std::move(object));
        }
        return object;
      });
      definition_->operations.back().calls.push_back(body.definition());
      return repeated;
    }
  }
  /// Copies the operations of a checked graph behind these: numbers move on, and what check() found is found again.
  std::pair<std::size_t, std::size_t> insert(std::string const& prefix, graph_definition& inner) {
    inner.check();
    definition_->expect_open();
    std::size_t const base = definition_->operations.size();
    for (operation_definition copy : inner.operations) {
      copy.name = prefix + "/" + copy.name;
      copy.closes.clear();
      for (port_definition& port : copy.ports) {
        port.closer.reset();
        port.side = false;
        if (port.edge) port.edge->target += base;
      }
      definition_->operations.push_back(std::move(copy));
    }
    return {base + inner.entry->target, base + inner.exit.value_or(inner.entry->target)};
  }
  void connect(port_reference from, edge_definition edge) {
    definition_->expect_open();
    port_definition& port = definition_->operations[from.operation].ports[from.port];
    if (port.edge) {
      throw graph_error("graph '" + definition_->name + "': a second edge from " + definition_->describe(from));
    }
    port.edge = std::move(edge);
  }
  void expect_own(graph_definition const* other, std::size_t operation) const {
    if (other != definition_.get()) {
      throw graph_error("graph '" + definition_->name + "': " + other->describe(operation) + " belongs to graph '" +
                        other->name + "'");
    }
  }
  [[noreturn]] void second(char const* what, std::size_t first, std::size_t other) const {
    throw graph_error("graph '" + definition_->name + "': a second " + what + " at " + definition_->describe(other) +
                      ", after " + definition_->describe(first));
  }

  std::shared_ptr<graph_definition> definition_;
};

}  // namespace ovlp
