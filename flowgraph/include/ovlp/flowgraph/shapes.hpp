// SPDX-License-Identifier: BSD-3-Clause
// The short form of operations whose bodies are always the same: to all threads, all into one. The long form has them
// as members of `graph`.
//
//   auto const counts = ovlp::everywhere("ask", counters, answer) >> ovlp::gather("answers", master.at(0));
//   auto const most = ovlp::split("cut", master.at(0), cut) >> ovlp::leaf("count", workers.in_turn(), count) >>
//                     ovlp::reduce("most", master.at(0), [](int a, int b) { return std::max(a, b); });
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <ovlp/flowgraph/bodies.hpp>
#include <ovlp/flowgraph/chain.hpp>

namespace ovlp {

namespace detail {

/// An operation of the short form that takes whatever type stands left of it.
template <class Make>
struct typed_by_left {
  Make make;
};

/// A merge of a chain; of a function object without a type of its own, one that waits for the type to its left.
template <bool InOrder, class State, class Route, class Function>
auto make_reduction(std::string name, placed_route<State, Route> where, Function function) {
  using type = typename reduced_type<Function>::type;
  if constexpr (std::is_void_v<type>) {
    auto make = [=]<class T>() { return merge(name, where, reduction<T, Function, InOrder>{function}); };
    return typed_by_left<decltype(make)>{std::move(make)};
  } else {
    return merge(std::move(name), std::move(where), reduction<type, Function, InOrder>{std::move(function)});
  }
}

}  // namespace detail

/// Gives the operation the type that stands left of it.
template <class In, class T, class Make>
auto operator>>(chain<In, T> const& left, detail::typed_by_left<Make> const& right) {
  return left >> right.make.template operator()<T>();
}

/// Posts a copy to each thread that the collection has then, and runs a leaf (or split) with it there. The copies are
/// made in the collection's first thread. What follows closes the group; place() of its objects is the index of the
/// thread, so gather gives them in the order of the threads.
/// Shape: two operations, a split "name everywhere" and the leaf. The input must be copyable.
template <class State, class Body, class... Constants>
auto everywhere(std::string name, threads<State> const& where, Body given, Constants... constants) {
  auto body = detail::bind_constants(std::move(given), std::move(constants)...);
  using made = decltype(body);
  constexpr operation_kind kind = detail::everywhere_kind<made>();
  detail::expect_kind<kind, made>();
  if constexpr (detail::kind_of<made>() == kind) {
    using input = typename detail::signature<made>::input;
    return split(name + " everywhere", where.at(0), detail::post_to_all<State, input>{}) >>
           detail::make_chain<kind>(name, where.in_turn(), std::move(body));
  }
}

/// Adds up the objects of a group, in order of arrival: `T function(T, T)`, or an object such as std::plus<>{} that
/// takes any type. One object is the result as it is; an empty group gives T{}.
/// Blocks: suspends while objects are missing; keeps one object, the sum so far.
template <class State, class Route, class Function>
auto reduce(std::string name, placed_route<State, Route> where, Function function) {
  return detail::make_reduction<false>(std::move(name), std::move(where), std::move(function));
}
/// The same in the order in which they were posted, so that rounding is the same in each run. Those that arrive early
/// wait here, with their memory.
///
///     ovlp::reduce("sum", master.at(0), std::plus<>{}, ovlp::in_group_order)
template <class State, class Route, class Function>
auto reduce(std::string name, placed_route<State, Route> where, Function function, in_group_order_tag) {
  return detail::make_reduction<true>(std::move(name), std::move(where), std::move(function));
}

/// All objects of a group as a std::vector, in the order in which they were posted. It keeps them until the last is
/// there.
template <class State, class Route>
auto gather(std::string name, placed_route<State, Route> where) {
  auto make = [name = std::move(name), where = std::move(where)]<class T>() {
    return merge(name, where, detail::gathering_body<T>{});
  };
  return detail::typed_by_left<decltype(make)>{std::move(make)};
}

}  // namespace ovlp
