// SPDX-License-Identifier: BSD-3-Clause
// What an operation sees of a run: `in` and `out` are what it takes and posts, `here` is its DPS thread. The rest
// finds out from a body's signature what kind of operation it is.
//
//   leaf    Out f(In)                         one in, one out
//           void f(In)                        one in, none out: the end of a path
//   split   void f(In, out<A>&, ...)          one in, any number out on each port
//   merge   Out f(in<In>&)                    all objects of a group in, one out; or void, the end of a path
//           Out f(Opened const&, in<In>&)     the same, with what the opener of the group received
//   stream  void f(in<In>&, out<A>&, ...)     takes in like a merge, posts like a split, at any time
//
// A leaf or merge that returns a value may post, too: Out f(In, out<A>&, ...), on ports all of whose paths end in
// operations that return nothing. Its result leaves when it has returned and all that it posted has been handled.
//
// `here<State>&` may stand first, and constants of the run last. A body is a function, or an object with one call
// operator that is no template. It is copied into the graph, so it is copyable, and runs in several threads at once:
// what it captures is read only. One whose call operator is not const is copied for each execution.
//
// Blocks: post() at a full window, wait(), wait_until(), get(), call(), resize() and remap() may suspend the
//         operation. That blocks no OS thread. Meanwhile other operations of the same DPS thread run and may change
//         its state. Afterwards the operation may be in another OS thread: hold no lock across these functions, and
//         keep nothing in thread_local variables.
// Thread: `in`, `out` and `here` are for the operation itself, until it ends. A thread of its own that posts, waits or
//         runs a kernel by them gets a graph_error; so does, as a rule, who has kept one of them and uses it later.
// Errors: an exception that leaves a body ends the run; the caller of the graph gets it as an operation_error. When a
//         run ends early, those functions throw something that is no std::exception, to unwind the operation: a catch
//         (...) passes it on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/context.hpp>
#include <ovlp/flowgraph/parameter.hpp>
#include <ovlp/flowgraph/threads.hpp>

namespace ovlp {

/// The four kinds of operations. Source: the paper, section 2.
enum class operation_kind : std::uint8_t { leaf, split, merge, stream };

/// "leaf", "split", "merge" or "stream".
std::string_view kind_name(operation_kind kind);
/// Merges and streams: operations that collect a group.
inline bool is_closer(operation_kind kind) { return kind == operation_kind::merge || kind == operation_kind::stream; }
/// Splits and streams: operations whose ports open groups.
inline bool is_opener(operation_kind kind) { return kind == operation_kind::split || kind == operation_kind::stream; }

/// The incoming objects of a merge or stream: all objects of the groups that it closes, one by one, as they arrive.
///
///     long add(ovlp::in<int>& numbers) {
///       long sum = 0;
///       for (int number : numbers) sum += number;  // waits for each; ends after the last of the group
///       return sum;
///     }
///
/// `for (T& object : objects)` may move from the object; it is the operation's own until the next one. Objects that
/// come later than other work of the DPS thread are taken after it: that runs while wait() is suspended.
/// Errors: graph_error, as the operation's own, if it ends before it has taken all objects.
template <class T>
class in {
  static_assert(data_object<T>, "in<T>: T must be a data object (data_object.hpp lists what it may contain)");

 public:
  explicit in(operation_context& context) : context_(context) { require_data_object<T>(); }

  /// The next object, in order of arrival; nothing after the last one of the group, however often it is asked.
  /// Blocks: the operation, until one is there or the group has ended; other operations of the DPS thread may run
  ///         meanwhile.
  /// Cost: ends the atomic step, also when an object is there. Makes room in the window of the object's port.
  std::optional<T> wait() {
    void* object = context_->wait();
    if (object == nullptr) return std::nullopt;
    return std::optional<T>(std::move(*static_cast<T*>(object)));
  }

  /// The place in its group, from 0, of the object handed out last: where it stood among those that the opener posted
  /// on that port. A leaf on the way passes its object's place on to its result. 0 before the first object.
  std::size_t place() const { return context_->place(); }
  /// Which of the ports that are closed here it was posted on, from 0 in the order in which their operations were
  /// added to the graph, and then of the ports of one operation.
  std::size_t port() const { return context_->closed_port(); }

  /// Waits for all that are left, and drops them. Blocks: as wait().
  void drain() {
    while (context_->wait() != nullptr) continue;
  }

  /// Holds one object at a time, for one pass: begin() waits for the first, ++ for the next.
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit iterator(in& from) : from_(&from), now_(from.wait()) {}
    T& operator*() const { return *now_; }
    iterator& operator++() {
      now_ = from_->wait();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !now_; }

   private:
    in* from_;
    mutable std::optional<T> now_;
  };
  iterator begin() { return iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  detail::context_pointer context_;
};

/// One port of an operation: what is posted here during one execution is one group.
///
///     void cut(int count, ovlp::out<int>& numbers) {
///       for (int i = 0; i < count; ++i) numbers.post(i);
///     }
///
/// An operation with several ports takes several of these, in the order of the ports' numbers. A group may be empty:
/// the closer runs all the same.
///
/// If all paths from the port end in operations that return nothing, it has no closer, and its group is a *side group*:
/// it has ended when all its objects have been handled, with what those who handled them posted on side and called.
/// The operation that posted them ends after that, and what it gives goes on then.
template <class T>
class out {
  static_assert(data_object<T>, "out<T>: T must be a data object (data_object.hpp lists what it may contain)");

 public:
  out(operation_context& context, std::size_t port) : context_(context), port_(port) {}

  /// Sends the object on its way at once, while the operation goes on. To a thread of the same node it is moved, not
  /// copied. Buffers in it share their elements with what the operation keeps of them: whoever writes first, copies.
  /// Blocks: the operation, while as many objects as the port's window are on their way to the closer, or to the end of
  ///         their path. Without a window it is not suspended.
  /// Errors: graph_error if the port is discarded, or its route leads to no thread: nothing has been posted then.
  /// Cost: ends the atomic step.
  void post(T object) { context_->post(port_, type_of<T>(), &object); }

 private:
  detail::context_pointer context_;
  std::size_t port_;
};

template <class In, class Out>
class graph;

namespace detail {

/// What a call of a graph without results gives inside.
struct nothing {};

/// What a graph that takes an In cannot be called with.
template <class Other, class In>
concept no_input_of = !std::is_convertible_v<Other const&, In> && !std::is_convertible_v<Other, In>;

/// For the compiler's message only.
template <class In>
[[noreturn]] void refuse_input() {
  static_assert(!std::is_same_v<In, In>,
                "a call takes a graph and its input: what is given is not of the type In of this graph<In, Out>, and "
                "does not convert to it");
  std::terminate();
}

}  // namespace detail

/// A call of a graph that has been started and not yet waited for.
///
///     auto lower = run.async(count, {0, 500});  // or here.async, in an operation
///     auto upper = run.async(count, {500, 1000});
///     int const both = lower.get() + upper.get();
///
/// It refers to who made the call, the engine or the operation, and is of no use after that has ended. If nobody takes
/// the result, the call goes on nevertheless: an operation ends when its calls have; one of the main program is given
/// up when the engine ends.
/// Thread: that of the engine, or the operation.
template <class Out>
class pending_call {
 public:
  pending_call(caller& owner, std::uint64_t call) : caller_(&owner), call_(call) {}

  /// The result. Call once.
  /// Blocks: the calling operation (suspended) or the main program, until the call ends.
  /// Errors: what ended the run, of the main program: see engine_base. graph_error for a result that has been taken.
  Out get() {
    alignas(Out) std::byte storage[sizeof(Out)];
    caller_->finish_call(call_, type_of<Out>(), storage);
    Out* result = std::launder(reinterpret_cast<Out*>(storage));
    struct destroy {
      Out* object;
      ~destroy() { object->~Out(); }
    } guard{result};
    return std::move(*result);
  }

 private:
  caller* caller_;
  std::uint64_t call_;
};

/// Of a graph that returns nothing: get() waits until all that the call has started has ended.
template <>
class pending_call<void> {
 public:
  pending_call(caller& owner, std::uint64_t call) : end_(owner, call) {}
  void get() { end_.get(); }

 private:
  pending_call<detail::nothing> end_;
};

/// Says of a kernel that its body runs even where only its estimate is charged.
struct always_runs_tag {};
/// `here.kernel("mine.expand", {n}, body, ovlp::always_runs)`
inline constexpr always_runs_tag always_runs{};

/// Where an operation runs: its DPS thread's state and place, and what it may ask of the runtime. Given to the
/// operations that take it as first argument. Valid during that execution of the operation only.
///
///     struct Counter { std::map<std::string, int> seen; };  // the state of threads<Counter>
///     int count(ovlp::here<Counter>& here, std::string word) { return ++here.state.seen[word]; }
///
/// `State` is that of the collection in which the operation runs; another one does not compile.
template <class State = no_state>
class here {
 public:
  explicit here(operation_context& context) : state(*static_cast<State*>(context.state())), context_(context) {}

  /// The state of this DPS thread. No other operation of the thread runs until this one is suspended or ends; so no
  /// lock is needed, and what was read before a function that may suspend may have changed after it.
  State& state;

  std::size_t index() const { return context_->index(); }  ///< of this thread in its collection
  std::size_t size() const { return context_->size(); }    ///< threads in the collection now, as this node knows it
  /// The node on which this thread is. It is the same until the operation ends: a thread moves between operations.
  node_id node() const { return static_cast<node_id>(context_->node()); }

  /// The run's own clock: the time since its first call began, the same on all nodes as well as the machines allow.
  ///
  /// In a real run it is read when asked. In a simulation it is simulated time, at which the atomic step began: what a
  /// step computes takes its time when the step ends, so two readings in one step are equal, and what a kernel took
  /// shows after the next post, wait or call. A program that measures itself by this clock is measured alike in both.
  /// Units: seconds; `.count()` is a double.
  std::chrono::duration<double> now() const { return std::chrono::duration<double>(context_->now_s()); }

  /// Does a named piece of computation; the only place where work is done.
  ///
  ///     here.kernel("mine.scale", {x.size()}, [&] { for (double& e : x.mutate()) e *= 2; });
  ///
  /// `name` and `sizes` are what its duration depends on; the simulator may charge an estimate instead of calling
  /// `body`, so what decides routing, message sizes or control flow stays outside. A name begins with the program's.
  /// `body` computes in one thread and neither posts nor waits. It is called before this returns, or not at all.
  /// Units: the work of a kernel is its CPU time in seconds; in a simulation, of the platform's reference core.
  /// Errors: config_error in a simulation that is to charge an estimate and has none. What `body` throws.
  /// Source: the paper, section 4 (partial direct execution); docs/partial-execution.md.
  template <class Body>
  void kernel(std::string_view name, kernel_sizes const& sizes, Body&& body) {
    context_->kernel(name, sizes, function_ref<void()>(body), false);
  }
  /// A kernel that always runs, for what decides what comes next: a search, a partition, a test of convergence.
  ///
  ///     here.kernel("mine.expand", {front.size()}, [&] { next = expand(front); }, ovlp::always_runs);
  ///
  /// A simulation charges for it what it charges for others, and calls `body` nevertheless, at this machine's cost.
  /// With --no-alloc `body` finds no elements in buffers, so it decides by other data.
  template <class Body>
  void kernel(std::string_view name, kernel_sizes const& sizes, Body&& body, always_runs_tag) {
    context_->kernel(name, sizes, function_ref<void()>(body), true);
  }

  /// Sets the iteration (from 1) that this operation belongs to from here on: its steps, kernels, posts and calls.
  /// Objects carry it along, so it is said once, where an iteration begins. Until then it is that of the object
  /// received; in a merge or stream, of the one that wait() gave last. A merge's result belongs to the iteration of
  /// the object that opened its group, unless the merge itself has said one.
  /// Errors: graph_error for k below 1.
  void iteration(int k) { context_->set_iteration(k); }

  /// Says that this step reads or changes memory that other DPS threads see, too, by any name: `ovlp explore` then
  /// takes steps that name the same for dependent. Nothing else takes notice, and nothing is locked.
  void shares(std::string_view memory) { context_->shares(memory); }

  /// Waits for other operations of this DPS thread to make `condition()` hold.
  ///
  ///     here.wait_until([&] { return here.state.gift.has_value(); });
  ///
  /// It is evaluated now, then each time that another operation of this thread has ended or been suspended, and once
  /// more when this operation is about to go on; so it must be cheap and depend on the thread's state only. It holds
  /// on return.
  /// Blocks: the operation, unless the condition holds at once.
  /// Errors: what `condition` throws ends the run, as an exception of this operation.
  template <class Condition>
  void wait_until(Condition&& condition) {
    context_->wait_until(function_ref<bool()>(condition));
  }

  /// Calls a graph from inside an operation. The graph must be known: engine_base::add.
  /// Blocks: the operation, until the result is there. Errors: graph_error for a graph that is not known.
  template <class In, class Out>
  Out call(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return async(called, std::move(input)).get();
  }
  template <class In, class Out, detail::no_input_of<In> Other>
  Out call(graph<In, Out> const&, Other const&) {
    detail::refuse_input<In>();
  }
  /// Starts a call; several run at once, pipelined. Take the result before the operation ends: after that the
  /// pending_call is of no use. Does not suspend.
  /// Errors: as call().
  template <class In, class Out>
  pending_call<Out> async(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return {*context_, context_->begin_call(*called.definition(), type_of<In>(), &input)};
  }
  template <class In, class Out, detail::no_input_of<In> Other>
  pending_call<Out> async(graph<In, Out> const&, Other const&) {
    detail::refuse_input<In>();
  }

  /// Changes the number of threads of a collection: those with the highest indices leave or join. Joining threads go
  /// where the collection's first mapping places them; their nodes are launched.
  /// Blocks: the operation, until every node routes by the new number. Leaving threads finish what they have, after
  ///         that.
  /// Errors: config_error, which ends nothing if it is caught, for no thread, more than mapping::most_threads, or a
  ///         collection with state that shrinks without threads::on_leave. graph_error if no graph uses the
  ///         collection.
  template <class Other>
  void resize(threads<Other> const& collection, std::size_t count) {
    context_->resize(*collection.definition(), count);
  }
  /// Moves threads, with state and queue, to the nodes that the mapping says; it names as many threads as there are.
  /// Blocks: the operation, until all have moved and every node knows. A thread in which an operation is suspended
  ///         moves when that has ended, so do not wait for the move of your own thread.
  /// Errors: config_error, which ends nothing if it is caught, for a mapping of another number of threads or beyond
  ///         the run's nodes, or a state that is no data object. graph_error if no graph uses the collection.
  template <class Other>
  void remap(threads<Other> const& collection, mapping const& to) {
    context_->remap(*collection.definition(), to);
  }

  /// Says that iteration k has ended, at a place where the program can change its collections. If the run shall hold
  /// other nodes from now on, `change` is called, which resizes and remaps what lives on them; else nothing is done:
  ///
  ///     here.end_of_iteration(k, [&](ovlp::held_nodes const& held) {
  ///       here.resize(workers, held.nodes);
  ///       here.remap(strips, ovlp::mapping::in_turn(count, held.of("strips")));
  ///     });
  ///
  /// It is said once of each iteration, by one operation; when iterations overlap, one change is made after another.
  /// What decides: --plan, or engine_base::follow.
  /// Blocks: the operation, until node 0 has decided, and the changes of earlier borders have been made.
  /// Errors: graph_error for k below 1.
  template <class Change>
  void end_of_iteration(int k, Change&& change) {
    std::optional<held_nodes> const held = context_->end_of_iteration(k);
    if (!held) return;
    change(*held);
    context_->end_of_changes();
  }

 private:
  detail::context_pointer context_;
};

namespace detail {

/// Types, in order.
template <class... Types>
struct type_list {
  static constexpr std::size_t size = sizeof...(Types);
};
template <class First, class... Rest>
std::type_identity<First> first_in(type_list<First, Rest...>);
template <class Types>
using first_of = typename decltype(first_in(Types{}))::type;

/// Result and arguments of a callable; nothing of one with several call operators, or a generic one.
template <class Callable>
struct callable {};
template <class Callable>
requires requires { &Callable::operator(); }
struct callable<Callable> : callable<decltype(&Callable::operator())> {};
template <class Result, class... Arguments, bool Noexcept>
struct callable<Result (*)(Arguments...) noexcept(Noexcept)> {
  using result = Result;
  using arguments = type_list<Arguments...>;
};
template <class Result, class Class, class... Arguments, bool Noexcept>
struct callable<Result (Class::*)(Arguments...) noexcept(Noexcept)> : callable<Result (*)(Arguments...)> {};
template <class Result, class Class, class... Arguments, bool Noexcept>
struct callable<Result (Class::*)(Arguments...) const noexcept(Noexcept)> : callable<Result (*)(Arguments...)> {};

/// What the arguments of an operation say: [here<State>&,] T or [Opened const&,] in<T>&, out<A>&...
template <class Arguments>
struct body_shape {
  static constexpr bool valid = false;
};
template <class>
inline constexpr bool is_in = false;
template <class T>
inline constexpr bool is_in<in<T>&> = true;

template <class Input, class... Outs>
struct body_shape<type_list<in<Input>&, out<Outs>&...>> {
  static constexpr bool valid = true;
  static constexpr bool collects = true;
  using state = void;
  using opened = void;
  using input = Input;
  using outs = type_list<Outs...>;
};
template <class Input, class... Outs>
requires(!is_in<Input>) struct body_shape<type_list<Input, out<Outs>&...>>
    : body_shape<type_list<in<std::remove_cvref_t<Input>>&, out<Outs>&...>> {
  static constexpr bool valid = !std::is_lvalue_reference_v<Input> || std::is_const_v<std::remove_reference_t<Input>>;
  static constexpr bool collects = false;
};
template <class Opened, class Input, class... Outs>
struct body_shape<type_list<Opened const&, in<Input>&, out<Outs>&...>>
    : body_shape<type_list<in<Input>&, out<Outs>&...>> {
  using opened = Opened;
};
template <class State, class First, class... Rest>
struct body_shape<type_list<here<State>&, First, Rest...>> : body_shape<type_list<First, Rest...>> {
  using state = State;
};

/// Whether the compiler can tell the parameters: not of `auto` parameters. Members are no bodies: nobody says whose.
template <class Body>
concept has_signature = !std::is_member_pointer_v<Body> && requires {
  typename callable<Body>::arguments;
};

/// What a name of an operation means that a function of the system has, too: read, write, send. No operation takes or
/// gives a bare pointer, so only such a function converts to this, which stands for the body where a name has several
/// meanings.
struct system_function {
  template <class Result, class First, class... Rest>
  system_function(Result (*)(First, void*, Rest...)) {}  // NOLINT(google-explicit-constructor)
  template <class Result, class First, class... Rest>
  system_function(Result (*)(First, void const*, Rest...)) {}  // NOLINT(google-explicit-constructor)
};

/// What a body takes and gives; `valid` if an operation may take that.
template <class Body>
struct signature : body_shape<typename callable<Body>::arguments> {
  using result = typename callable<Body>::result;
};
template <class Body>
inline constexpr bool returns_nothing = std::is_void_v<typename signature<Body>::result>;

/// The types of its ports: first that of its result, if it has one.
template <class Result, class Outs>
struct port_types;
template <class Result, class... Outs>
struct port_types<Result, type_list<Outs...>> {
  using type = type_list<Result, Outs...>;
};
template <class... Outs>
struct port_types<void, type_list<Outs...>> {
  using type = type_list<Outs...>;
};
template <class Body>
using ports_of = typename port_types<typename signature<Body>::result, typename signature<Body>::outs>::type;

/// What a body is, by its signature: one that returns nothing and posts is a split or stream, any other one a leaf or
/// merge; none if it is no operation.
template <class Body>
constexpr std::optional<operation_kind> kind_of() {
  if constexpr (has_signature<Body>) {
    if constexpr (signature<Body>::valid) {
      constexpr bool posts = signature<Body>::outs::size > 0 && returns_nothing<Body>;
      if constexpr (signature<Body>::collects) return posts ? operation_kind::stream : operation_kind::merge;
      return posts ? operation_kind::split : operation_kind::leaf;
    }
  }
  return std::nullopt;
}

/// One message that says what a body is and what was wanted.
template <operation_kind Wanted, class Body>
constexpr void expect_kind() {
  using enum operation_kind;
  constexpr bool is_member = std::is_member_pointer_v<Body>, is_of_system = std::is_same_v<Body, system_function>;
  static_assert(!is_member,
                "the body of an operation is no member function: expected a function, or a lambda that calls the "
                "member of an object; what belongs to a DPS thread is its state, here<State>&");
  static_assert(!is_of_system,
                "this name is that of a function of the system, too (read, write, send, ... of <unistd.h> and others), "
                "so it does not say which one is the body: give the function another name, or a namespace of its own");
  static_assert(has_signature<Body> || is_member || is_of_system,
                "the body of an operation is a function, or a callable with one call operator; its parameters have "
                "types of their own (no auto), for they say what it is");
  if constexpr (has_signature<Body>) {
    static_assert(signature<Body>::valid,
                  "no operation has these parameters; leaf takes Out f(In), split takes void f(In, out<A>&...), merge "
                  "takes Out f(in<In>&), stream takes void f(in<In>&, out<A>&...); here<State>& may stand first");
    if constexpr (signature<Body>::valid) {
      constexpr auto got = kind_of<Body>();
      static_assert(returns_nothing<Body> || signature<Body>::outs::size == 0 || Wanted == leaf || Wanted == merge,
                    "this returns a value and posts on ports: a split or stream returns nothing");
      if constexpr (Wanted == leaf) {
        static_assert(got != split, "leaf takes Out f(In); this is a split: void f(In, out<A>&...)");
        static_assert(got != merge, "leaf takes Out f(In); this is a merge: Out f(in<In>&)");
        static_assert(got != stream, "leaf takes Out f(In); this is a stream: void f(in<In>&, out<A>&...)");
      } else if constexpr (Wanted == split) {
        static_assert(got != leaf, "split takes void f(In, out<A>&...); this is a leaf: Out f(In)");
        static_assert(got != merge, "split takes void f(In, out<A>&...); this is a merge: Out f(in<In>&)");
        static_assert(got != stream,
                      "split takes void f(In, out<A>&...); this is a stream: void f(in<In>&, out<A>&...)");
      } else if constexpr (Wanted == merge) {
        static_assert(got != leaf, "merge takes Out f(in<In>&); this is a leaf: Out f(In)");
        static_assert(got != split, "merge takes Out f(in<In>&); this is a split: void f(In, out<A>&...)");
        static_assert(got != stream, "merge takes Out f(in<In>&); this is a stream: void f(in<In>&, out<A>&...)");
      } else {
        static_assert(got != leaf, "stream takes void f(in<In>&, out<A>&...); this is a leaf: Out f(In)");
        static_assert(got != split,
                      "stream takes void f(in<In>&, out<A>&...); this is a split: void f(In, out<A>&...)");
        static_assert(got != merge, "stream takes void f(in<In>&, out<A>&...); this is a merge: Out f(in<In>&)");
      }
    }
  }
}

/// A body with a mutable call operator is copied for each execution: its members are the execution's own.
template <class Body, class... Arguments>
decltype(auto) invoke_body(Body const& body, Arguments&&... arguments) {
  if constexpr (std::is_invocable_v<Body const&, Arguments...>) {
    return std::invoke(body, std::forward<Arguments>(arguments)...);
  } else {
    Body own = body;
    return std::invoke(own, std::forward<Arguments>(arguments)...);
  }
}

/// With `here` before the arguments, if the body takes it (State is void if not).
template <class State, class Body, class... Arguments>
decltype(auto) invoke_here(operation_context& context, Body const& body, Arguments&&... arguments) {
  if constexpr (std::is_void_v<State>) {
    return invoke_body(body, std::forward<Arguments>(arguments)...);
  } else {
    here<State> where(context);
    return invoke_body(body, where, std::forward<Arguments>(arguments)...);
  }
}

/// A port that knows its number: a tuple can make one for each port from the context alone.
template <std::size_t Port, class T>
struct out_at : out<T> {
  explicit out_at(operation_context& context) : out<T>(context, Port) {}
};

/// Fills the last parameters of a body, which are what is constant in a run. It is a body itself: its call operator
/// has the parameters that are left. Copies share the constants.
template <class Body, class Result, class Parameters, class... Constants>
struct bound_body;
template <class Body, class Result, class... Parameters, class... Constants>
struct bound_body<Body, Result, type_list<Parameters...>, Constants...> {
  Body body;
  std::shared_ptr<std::tuple<Constants...> const> constants;
  Result operator()(Parameters... given) const {
    return std::apply(
        [&](Constants const&... fixed) -> Result {
          return invoke_body(body, static_cast<Parameters&&>(given)..., fixed...);
        },
        *constants);
  }

  /// Of the constants those that are data objects.
  std::vector<parameter_definition> parameters() const {
    std::vector<parameter_definition> made;
    auto add = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      using constant = std::tuple_element_t<I, std::tuple<Constants...>>;
      if constexpr (data_object<constant>) {
        std::shared_ptr<constant const> value(constants, &std::get<I>(*constants));
        made.push_back(define_parameter<constant>(sizeof...(Parameters) + I + 1, std::move(value)));
      }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (add(std::integral_constant<std::size_t, I>{}), ...); }
    (std::index_sequence_for<Constants...>{});
    return made;
  }
};

template <class>
inline constexpr bool is_bound = false;
template <class Body, class Result, class Parameters, class... Constants>
inline constexpr bool is_bound<bound_body<Body, Result, Parameters, Constants...>> = true;

/// The first of the types, as many as there are indices.
template <class... All, std::size_t... I>
type_list<std::tuple_element_t<I, std::tuple<All...>>...> first_types(type_list<All...>, std::index_sequence<I...>);

/// The body with its constants; without constants the body as it is.
template <class Body>
Body bind_constants(Body body) {
  return body;
}
template <class Body, class First, class... Rest>
auto bind_constants(Body body, First first, Rest... rest) {
  if constexpr (!has_signature<Body>) {
    return body;  // expect_kind says what is wrong with it
  } else {
    using all = typename callable<Body>::arguments;
    constexpr std::size_t bound = 1 + sizeof...(Rest);
    static_assert(all::size > bound, "the body takes an object before its constants");
    using left = std::make_index_sequence<(all::size > bound ? all::size - bound : 0)>;
    using given = decltype(first_types(all{}, left{}));
    return bound_body<Body, typename callable<Body>::result, given, First, Rest...>{
        std::move(body), std::make_shared<std::tuple<First, Rest...> const>(std::move(first), std::move(rest)...)};
  }
}

/// The body as the runtime calls it: one function for all types. It takes objects out of the context, makes `in`,
/// `out` and `here`, calls the body, and hands a result back by finish(). The input is moved into the body; of an
/// opener whose closer asks for what it received, a copy is kept first.
template <class Body, class... Outs>
std::function<void(operation_context&)> erase_body(Body body, type_list<Outs...>) {
  using shape = signature<Body>;
  using input = typename shape::input;
  using state = typename shape::state;
  return [body = std::move(body)](operation_context& context) {
    constexpr std::size_t first_out = returns_nothing<Body> ? 0 : 1;
    auto run = [&](auto&&... first) -> decltype(auto) {
      return [&]<std::size_t... Port>(std::index_sequence<Port...>)->decltype(auto) {
        [[maybe_unused]] std::tuple<out_at<first_out + Port, Outs>...> outs(
            (static_cast<void>(Port), std::ref(context))...);
        return invoke_here<state>(context, body, std::forward<decltype(first)>(first)...,
                                  static_cast<out<Outs>&>(std::get<Port>(outs))...);
      }
      (std::index_sequence_for<Outs...>{});
    };
    auto finish = [&](auto&&... first) {
      if constexpr (returns_nothing<Body>) {
        run(std::forward<decltype(first)>(first)...);
      } else {
        auto result = run(std::forward<decltype(first)>(first)...);
        context.finish(type_of<decltype(result)>(), &result);
      }
    };
    if constexpr (!shape::collects) {
      input& object = *static_cast<input*>(context.input());
      if constexpr (sizeof...(Outs) > 0 && std::is_copy_constructible_v<input>) {
        if (context.input_is_kept()) context.keep_input(std::make_shared<input const>(object));
      }
      finish(std::move(object));
    } else {
      in<input> objects(context);
      if constexpr (std::is_void_v<typename shape::opened>) {
        finish(objects);
      } else {
        auto const opened = context.opened();  // kept while the body uses it
        finish(*static_cast<typename shape::opened const*>(opened.get()), objects);
      }
    }
  };
}

}  // namespace detail
}  // namespace ovlp
