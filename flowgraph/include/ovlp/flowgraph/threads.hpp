// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/flowgraph/object_type.hpp>
#include <ovlp/flowgraph/route.hpp>

namespace ovlp {

/// The state of threads that have none.
struct no_state {};

/// How the state of a DPS thread is made, moved to another node, and left behind: that of `threads` without its type.
struct state_definition {
  std::function<std::shared_ptr<void>(std::size_t index)> make;  ///< a new one, on the thread's node
  /// For remap: the state as a data object, and how a thread takes over the moved one; none if it is not one.
  object_type const* type = nullptr;
  std::function<std::shared_ptr<void>(void* moved)> adopt;
  /// For shrinking: takes what leaves; empty if nothing does.
  std::function<void(std::size_t index, void* state)> leave;
  bool empty = false;  ///< the threads have no state
};

/// A named array of DPS threads of one state type, and where they live at first: `threads` without its type. Where
/// they live later, the runtime knows.
class collection_definition {
 public:
  collection_definition(std::string collection_name, ovlp::mapping threads_on, state_definition threads_state)
      : name(std::move(collection_name)), initial(std::move(threads_on)), state(std::move(threads_state)) {}

  std::string const name;
  ovlp::mapping const initial;
  state_definition state;

  /// Whether a change of the number of threads leaves state that nothing takes.
  bool leaves_state(std::size_t from, std::size_t to) const { return to < from && !state.empty && !state.leave; }
};

/// Where an operation of the short form `a >> b >> c` runs: a collection and the route of its incoming edge.
template <class State, class Route>
struct placed_route {
  std::shared_ptr<collection_definition> collection;
  Route route;
};

/// A collection of DPS threads. A handle: copies mean the same collection.
///
///     ovlp::threads<> master{"master", 1};                              // one thread on node 0, without state
///     ovlp::threads<Counter> counters{"counters", "node0*2 node1"};     // three, each with a Counter
///     ovlp::threads<Block> blocks{"blocks", 8, [](std::size_t index) { return Block{index}; }};
///
/// A DPS thread is a place where one operation runs at a time, not a thread of the operating system: a collection may
/// have many more threads than there are cores.
///
/// Each thread owns one State, made on the thread's node when the thread is created: by State{} or by `make(index)`.
/// Only operations that run in the thread see it, one at a time, so it needs no lock. It stays from call to call. On a
/// node one `make` or `on_leave` of all collections runs at a time, beside operations; what they share with operations
/// needs a lock. In a simulation that measures (direct execution) they take the CPU time that they take here, else
/// none; those that threads have at first are made before the first call, which does not wait for them.
///
/// Shape: 1 to mapping::most_threads (2^24) threads, with indices from 0. Collections of a program have different
///        names. State may be any type; threads whose State is a data object can move to other nodes (remap).
/// Errors: config_error of a mapping, at once for its text, at the first call for a node that the run does not have,
///         or for no thread. What `make` or `on_leave` throws ends the run, as an operation_error that names it.
/// Source: the paper, section 2.
template <class State = no_state>
class threads {
 public:
  /// `count` threads, dealt out in turn over all nodes of the run: thread i on node i modulo the number of nodes.
  threads(std::string name, std::size_t count) : threads(std::move(name), mapping::in_turn(count)) {}
  /// Threads where the mapping says, e.g. "node0*2 node1". What it says of other nodes is launched with the run.
  threads(std::string name, mapping where) requires std::is_default_constructible_v<State>
      : threads(std::move(name), std::move(where), [](std::size_t) { return State{}; }) {}
  /// The same with a state that `State make(std::size_t index)` makes, in every process for the threads that live
  /// there.
  template <class Make>
  requires std::is_invocable_r_v<State, Make&, std::size_t> threads(std::string name, std::size_t count, Make make)
      : threads(std::move(name), mapping::in_turn(count), std::move(make)) {}
  template <class Make>
  requires std::is_invocable_r_v<State, Make&, std::size_t> threads(std::string name, mapping where, Make make) {
    state_definition state;
    state.make = [make = std::move(make)](std::size_t index) -> std::shared_ptr<void> {
      return std::shared_ptr<State>(new State(make(index)));  // not make_shared: the state need not be movable
    };
    if constexpr (data_object<State>) {
      state.type = &type_of<State>();
      state.adopt = [](void* moved) { return std::make_shared<State>(std::move(*static_cast<State*>(moved))); };
    }
    state.empty = std::is_same_v<State, no_state>;
    definition_ = std::make_shared<collection_definition>(std::move(name), std::move(where), std::move(state));
  }

  /// What becomes of a leaving thread's state when the collection shrinks: `take(index, State&)` runs on its node,
  /// after the thread's last operation. Without it, a collection with state refuses to shrink. Say it before the first
  /// call, in every process. It is not for the end of the run: states that are left then are destroyed.
  template <class Take>
  void on_leave(Take take) {
    definition_->state.leave = [take = std::move(take)](std::size_t index, void* state) {
      take(index, *static_cast<State*>(state));
    };
  }

  /// Routes for the short form; they mean what the free functions of the same names mean (route.hpp):
  /// `ovlp::leaf("count", workers.in_turn(), count)`.
  auto at(std::size_t index) const { return placed(ovlp::at(index)); }
  template <class Key>
  auto by(Key key) const {
    return placed(ovlp::by(std::move(key)));
  }
  auto in_turn() const { return placed(ovlp::in_turn()); }
  auto at_opener() const { return placed(ovlp::at_opener()); }
  auto relative(std::ptrdiff_t offset) const { return placed(ovlp::relative(offset)); }
  auto least_loaded() const { return placed(ovlp::least_loaded()); }

  std::string const& name() const { return definition_->name; }
  /// For graphs and engines.
  std::shared_ptr<collection_definition> const& definition() const { return definition_; }

 private:
  template <class Route>
  placed_route<State, Route> placed(Route route) const {
    return {definition_, std::move(route)};
  }

  std::shared_ptr<collection_definition> definition_;
};

}  // namespace ovlp
