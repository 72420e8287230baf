// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ovlp/flowgraph/context.hpp>
#include <ovlp/flowgraph/threads.hpp>

namespace ovlp {

enum class operation_kind : std::uint8_t { leaf, split, merge, stream };

std::string_view kind_name(operation_kind kind);
/// Merges and streams: operations that collect a group.
inline bool is_closer(operation_kind kind) { return kind == operation_kind::merge || kind == operation_kind::stream; }
/// Splits and streams: operations whose ports open groups.
inline bool is_opener(operation_kind kind) { return kind == operation_kind::split || kind == operation_kind::stream; }

/// The incoming objects of a merge or stream: all objects of the groups that it closes.
/// Also a range: `for (T& object : objects)` waits for each.
template <class T>
class in {
  static_assert(data_object<T>, "in<T>: T must be a data object (data_object.hpp lists what it may contain)");

 public:
  explicit in(operation_context& context) : context_(&context) { require_data_object<T>(); }
  in(in const&) = delete;
  in& operator=(in const&) = delete;

  /// The next object, in order of arrival; nothing after the last one of the group.
  /// Blocks: the operation, until one is there; other operations of the DPS thread may run meanwhile.
  std::optional<T> wait() {
    void* object = context_->wait();
    if (object == nullptr) return std::nullopt;
    return std::optional<T>(std::move(*static_cast<T*>(object)));
  }

  /// The place in its group, from 0, of the object handed out last: where it stood among those that the opener posted
  /// on that port.
  std::size_t place() const { return context_->place(); }
  /// Which of the ports that are closed here it was posted on, from 0 in the order of the graph.
  std::size_t port() const { return context_->closed_port(); }

  /// Waits for all that are left, and drops them.
  void drain() {
    while (context_->wait() != nullptr) continue;
  }

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
  operation_context* context_;
};

/// One port of a split or stream: what is posted here during one execution is one group.
template <class T>
class out {
  static_assert(data_object<T>, "out<T>: T must be a data object (data_object.hpp lists what it may contain)");

 public:
  out(operation_context& context, std::size_t port) : context_(&context), port_(port) {}
  out(out const&) = delete;
  out& operator=(out const&) = delete;

  /// Sends the object on its way at once.
  /// Blocks: the operation, while the port's window is full.
  void post(T object) { context_->post(port_, type_of<T>(), &object); }

 private:
  operation_context* context_;
  std::size_t port_;
};

template <class In, class Out>
class graph;

/// A call of a graph that has been started and not yet waited for.
template <class Out>
class pending_call {
 public:
  pending_call(caller& owner, std::uint64_t call) : caller_(&owner), call_(call) {}

  /// The result. Blocks: the calling operation or the main program, until the call ends. Call once.
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

/// Where an operation runs: its DPS thread's state and place, and what it may ask of the runtime.
/// Given to the operations that take it as first argument. Valid during that execution of the operation only.
template <class State = no_state>
class here {
 public:
  explicit here(operation_context& context) : state(*static_cast<State*>(context.state())), context_(&context) {}
  here(here const&) = delete;
  here& operator=(here const&) = delete;

  /// The state of this DPS thread. No other operation of the thread runs until this one posts or waits at a bound.
  State& state;

  std::size_t index() const { return context_->index(); }  ///< of this thread in its collection
  std::size_t size() const { return context_->size(); }    ///< threads in the collection now
  node_id node() const { return static_cast<node_id>(context_->node()); }

  /// Does a named piece of computation; the only place where work is done.
  /// `name` and `sizes` are what its duration depends on; the simulator may charge an estimate instead of calling
  /// `body`, so what decides routing, message sizes or control flow stays outside. Single-threaded.
  template <class Body>
  void kernel(std::string_view name, kernel_sizes const& sizes, Body&& body) {
    context_->kernel(name, sizes, function_ref<void()>(body));
  }

  /// Sets the iteration (from 1) that this operation belongs to from here on: its steps, kernels and posts.
  void iteration(int k) { context_->set_iteration(k); }

  /// Suspends until `condition()` holds. It is evaluated now and after each step of another operation in this thread,
  /// so it must be cheap and depend on the thread's state only.
  template <class Condition>
  void wait_until(Condition&& condition) {
    context_->wait_until(function_ref<bool()>(condition));
  }

  /// Calls a graph from inside an operation. Blocks: the operation, until the result is there.
  template <class In, class Out>
  Out call(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return async(called, std::move(input)).get();
  }
  /// Starts a call; several run at once, pipelined. The result must be taken before the operation ends.
  template <class In, class Out>
  pending_call<Out> async(graph<In, Out> const& called, std::type_identity_t<In> input) {
    return {*context_, context_->begin_call(*called.definition(), type_of<In>(), &input)};
  }

  /// Changes the number of threads of a collection: those with the highest indices leave or join.
  /// Blocks: until every node routes by the new number. Leaving threads finish what they have.
  template <class Other>
  void resize(threads<Other> const& collection, std::size_t count) {
    context_->resize(*collection.definition(), count);
  }
  /// Moves threads, with state and queue, to the nodes that the mapping says. Blocks: until all have moved; a thread
  /// in which an operation is suspended moves when that has ended, so do not wait for the move of your own thread.
  template <class Other>
  void remap(threads<Other> const& collection, mapping const& to) {
    context_->remap(*collection.definition(), to);
  }

 private:
  operation_context* context_;
};

namespace detail {

template <class... Types>
struct type_list {
  static constexpr std::size_t size = sizeof...(Types);
};

/// Result and arguments of a callable; nothing of one with several call operators, or a generic one.
template <class Callable>
struct callable {};
template <class Callable>
requires requires { &Callable::operator(); }
struct callable<Callable> : callable<decltype(&Callable::operator())> {};
template <class Result, class... Arguments>
struct callable<Result (*)(Arguments...)> {
  using result = Result;
  using arguments = type_list<Arguments...>;
};
template <class Result, class... Arguments>
struct callable<Result (*)(Arguments...) noexcept> : callable<Result (*)(Arguments...)> {};
template <class Result, class Class, class... Arguments>
struct callable<Result (Class::*)(Arguments...)> : callable<Result (*)(Arguments...)> {};
template <class Result, class Class, class... Arguments>
struct callable<Result (Class::*)(Arguments...) const> : callable<Result (*)(Arguments...)> {};
template <class Result, class Class, class... Arguments>
struct callable<Result (Class::*)(Arguments...) noexcept> : callable<Result (*)(Arguments...)> {};
template <class Result, class Class, class... Arguments>
struct callable<Result (Class::*)(Arguments...) const noexcept> : callable<Result (*)(Arguments...)> {};

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
requires(!is_in<Input>) struct body_shape<type_list<Input, out<Outs>&...>> {
  static constexpr bool valid = !std::is_lvalue_reference_v<Input> || std::is_const_v<std::remove_reference_t<Input>>;
  static constexpr bool collects = false;
  using state = void;
  using opened = void;
  using input = std::remove_cvref_t<Input>;
  using outs = type_list<Outs...>;
};
template <class Input, class... Outs>
struct body_shape<type_list<in<Input>&, out<Outs>&...>> {
  static constexpr bool valid = true;
  static constexpr bool collects = true;
  using state = void;
  using opened = void;
  using input = Input;
  using outs = type_list<Outs...>;
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

template <class Body>
concept has_signature = requires {
  typename callable<Body>::arguments;
};

template <class Body>
struct signature : body_shape<typename callable<Body>::arguments> {
  using result = typename callable<Body>::result;
};

/// What a body is, by its signature: Out(In) a leaf, void(In, out<A>&...) a split, Out(in<In>&) a merge,
/// void(in<In>&, out<A>&...) a stream; none if it is no operation.
template <class Body>
constexpr std::optional<operation_kind> kind_of() {
  if constexpr (has_signature<Body>) {
    if constexpr (signature<Body>::valid) {
      constexpr bool posts = signature<Body>::outs::size > 0;
      if constexpr (posts == std::is_void_v<typename signature<Body>::result>) {
        if constexpr (signature<Body>::collects) return posts ? operation_kind::stream : operation_kind::merge;
        return posts ? operation_kind::split : operation_kind::leaf;
      }
    }
  }
  return std::nullopt;
}

/// One message that says what a body is and what was wanted.
template <operation_kind Wanted, class Body>
constexpr void expect_kind() {
  using enum operation_kind;
  static_assert(has_signature<Body>,
                "the body of an operation is a function, or a callable with one call operator; its parameters have "
                "types of their own (no auto), for they say what it is");
  if constexpr (has_signature<Body>) {
    static_assert(signature<Body>::valid,
                  "no operation has these parameters; leaf takes Out f(In), split takes void f(In, out<A>&...), merge "
                  "takes Out f(in<In>&), stream takes void f(in<In>&, out<A>&...); here<State>& may stand first");
    if constexpr (signature<Body>::valid) {
      constexpr auto got = kind_of<Body>();
      static_assert(got || signature<Body>::outs::size == 0,
                    "this returns a value and posts on ports: a split or stream returns nothing");
      static_assert(got || signature<Body>::outs::size > 0,
                    "this returns nothing and has no port: a leaf or merge returns its result");
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

template <class State, class Body, class... Arguments>
decltype(auto) invoke_here(operation_context& context, Body const& body, Arguments&&... arguments) {
  if constexpr (std::is_void_v<State>) {
    return invoke_body(body, std::forward<Arguments>(arguments)...);
  } else {
    here<State> where(context);
    return invoke_body(body, where, std::forward<Arguments>(arguments)...);
  }
}

template <std::size_t Port, class T>
struct out_at : out<T> {
  explicit out_at(operation_context& context) : out<T>(context, Port) {}
};

/// Fills the last parameters of a body, which are what is constant in a run.
template <class Body, class Result, class Parameters, class... Constants>
struct bound_body;
template <class Body, class Result, class... Parameters, class... Constants>
struct bound_body<Body, Result, type_list<Parameters...>, Constants...> {
  Body body;
  std::tuple<Constants...> constants;
  Result operator()(Parameters... given) const {
    return std::apply(
        [&](Constants const&... fixed) -> Result {
          return invoke_body(body, static_cast<Parameters&&>(given)..., fixed...);
        },
        constants);
  }
};

template <class All, std::size_t Count, class Taken = type_list<>>
struct first_types;
template <class... Rest, class... Taken>
struct first_types<type_list<Rest...>, 0, type_list<Taken...>> {
  using type = type_list<Taken...>;
};
template <class First, class... Rest, std::size_t Count, class... Taken>
requires(Count > 0) struct first_types<type_list<First, Rest...>, Count, type_list<Taken...>>
    : first_types<type_list<Rest...>, Count - 1, type_list<Taken..., First>> {
};

template <class Body>
Body bind_constants(Body body) {
  return body;
}
template <class Body, class First, class... Rest>
auto bind_constants(Body body, First first, Rest... rest) {
  static_assert(has_signature<Body>, "constants are given to a function, or to a callable whose parameters have types");
  using all = typename callable<Body>::arguments;
  static_assert(all::size > 1 + sizeof...(Rest), "the body takes an object before its constants");
  using given = typename first_types<all, all::size - 1 - sizeof...(Rest)>::type;
  return bound_body<Body, typename callable<Body>::result, given, First, Rest...>{
      std::move(body), {std::move(first), std::move(rest)...}};
}

/// The body as the runtime calls it.
template <class Body, class... Outs>
std::function<void(operation_context&)> erase_body(Body body, type_list<Outs...>) {
  using shape = signature<Body>;
  using input = typename shape::input;
  using state = typename shape::state;
  return [body = std::move(body)](operation_context& context) {
    auto run = [&](auto&&... first) -> decltype(auto) {
      return [&]<std::size_t... Port>(std::index_sequence<Port...>)->decltype(auto) {
        [[maybe_unused]] std::tuple<out_at<Port, Outs>...> outs((static_cast<void>(Port), std::ref(context))...);
        return invoke_here<state>(context, body, std::forward<decltype(first)>(first)...,
                                  static_cast<out<Outs>&>(std::get<Port>(outs))...);
      }
      (std::index_sequence_for<Outs...>{});
    };
    auto finish = [&](auto&&... first) {
      if constexpr (sizeof...(Outs) > 0) {
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
