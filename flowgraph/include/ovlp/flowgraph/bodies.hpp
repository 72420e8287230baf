// SPDX-License-Identifier: BSD-3-Clause
// Bodies that everybody would write: to all threads, all into one. They are plain bodies of splits and merges, for
// which the runtime does nothing special; `everywhere`, `reduce` and `gather` put them into graphs, in the long form
// (graph.hpp) and in the short one (shapes.hpp).
//
// Order: the place of an object is the one in the group that the merge closes, from the port's post on. Where a leaf
// stands between, its result has the place of the object that it was called for.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/operation.hpp>

namespace ovlp {

/// Says to `reduce` that it takes objects in the order in which the opener posted them, however they arrive.
struct in_group_order_tag {};
/// `ovlp::reduce("sum", master.at(0), std::plus<>{}, ovlp::in_group_order)`
inline constexpr in_group_order_tag in_group_order{};

namespace detail {

/// Body of a split: a copy for each thread of the collection in which it runs; the edge after it deals them out in
/// turn. The last one is the object itself, so for one thread nothing is copied.
template <class State, class T>
struct post_to_all {
  void operator()(here<State>& here, T object, out<T>& all) const {
    for (std::size_t i = 1; i < here.size(); ++i) all.post(object);
    all.post(std::move(object));
  }
};

/// Whether a body that is to run everywhere is a split; else it should be a leaf.
template <class Body>
constexpr operation_kind everywhere_kind() {
  return kind_of<Body>() == operation_kind::split ? operation_kind::split : operation_kind::leaf;
}

/// The place of the object that was handed out last, among all that a closer gets: port after port.
template <class T>
std::pair<std::size_t, std::size_t> place_of_last(in<T> const& objects) {
  return {objects.port(), objects.place()};
}

/// Body of a merge: f(f(f(a, b), c), d). T{} for an empty group.
///
/// In order: objects of the first port that come before their turn are kept until it is there; those of other ports
/// that the merge closes are kept until the end, and then taken port after port.
template <class T, class Function, bool InOrder>
struct reduction {
  Function function;

  static constexpr bool adds = std::is_invocable_r_v<T, Function const&, T, T>;
  static_assert(adds, "reduce takes a function T f(T, T) of the objects that it adds up");

  T operator()(in<T>& objects) const requires adds {
    T all{};
    bool first = true;
    auto const take = [&](T&& object) {
      all = std::exchange(first, false) ? std::move(object) : std::invoke(function, std::move(all), std::move(object));
    };
    if constexpr (!InOrder) {
      for (T& object : objects) take(std::move(object));
    } else {
      std::map<std::pair<std::size_t, std::size_t>, T> early;
      std::size_t next = 0;  // of the first port; what others bring comes after it
      for (T& object : objects) {
        early.emplace(place_of_last(objects), std::move(object));
        for (; !early.empty() && early.begin()->first == std::pair(std::size_t{0}, next); ++next) {
          take(std::move(early.extract(early.begin()).mapped()));
        }
      }
      for (auto& [place, object] : early) take(std::move(object));
    }
    return all;
  }
};

/// Body of a merge: all objects in the order of the group, port after port. It keeps them all until the last has come.
template <class T>
struct gathering_body {
  std::vector<T> operator()(in<T>& objects) const {
    std::map<std::pair<std::size_t, std::size_t>, T> sorted;
    for (T& object : objects) sorted.emplace(place_of_last(objects), std::move(object));
    std::vector<T> all;
    all.reserve(sorted.size());
    for (auto& [place, object] : sorted) all.push_back(std::move(object));
    return all;
  }
};

/// The type of what a function adds up, if its parameters have types; void if not, as for std::plus<>, which adds up
/// whatever the operation to its left gives.
template <class Function>
struct reduced_type {
  using type = void;
};
template <class Function>
requires(has_signature<Function>) struct reduced_type<Function> {
  using type = typename callable<Function>::result;
};

}  // namespace detail
}  // namespace ovlp
