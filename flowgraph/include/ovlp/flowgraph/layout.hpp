// SPDX-License-Identifier: BSD-3-Clause
// A short text for the layout of a type on the wire: `layout<T>()`.
//
// Objects carry no description of themselves. Instead processes compare, when they join a run, a digest that contains
// the layouts of all types on edges and of states that can move (program.cpp); so a program of which one process was
// built from another source is refused, before its bytes are misread. The text follows the same `shape`
// (data_object.hpp) as the walk that writes.
#pragma once

#include <string>
#include <type_traits>

#include <ovlp/flowgraph/walk.hpp>

namespace ovlp {
namespace detail {

/// Of numbers what they are and how many bytes they have: `int` and a `long` of 4 bytes are the same.
template <class T>
std::string scalar_text() {
  if constexpr (std::is_enum_v<T>) {
    return 'e' + scalar_text<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "b";
  } else if constexpr (std::is_same_v<T, char>) {
    return "c";
  } else if constexpr (requires { typename T::period; }) {  // std::chrono::duration
    using period = typename T::period;
    return 't' + std::to_string(period::num) + '/' + std::to_string(period::den) + scalar_text<typename T::rep>();
  } else if constexpr (std::is_class_v<T>) {  // std::complex
    return 'z' + std::to_string(sizeof(T));
  } else {
    return (std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u') + std::to_string(sizeof(T));
  }
}

template <class T>
std::string layout_text();  // of any type; layout() asks first whether it is a data object

/// The layouts of all parts with `between` between them.
template <class First, class... More>
std::string join(parts_list<First, More...> /*parts*/, [[maybe_unused]] char between) {
  std::string text = layout_text<First>();
  ((text += between, text += layout_text<More>()), ...);
  return text;
}
inline std::string join(parts_list<> /*parts*/, char /*between*/) { return {}; }

template <class T>
std::string layout_text() {
  using s = shape<T>;
  constexpr kind what = s::what;
  typename s::parts const parts;
  if constexpr (what == kind::scalar) {
    return scalar_text<T>();
  } else if constexpr (what == kind::buffer) {
    // Its elements travel as they stand in memory, so their size counts too.
    using value = typename T::value_type;
    return '#' + (is_packed<value>() ? "" : std::to_string(sizeof(value)) + ':') + join(parts, ',');
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "s";
  } else if constexpr (what == kind::sequence || what == kind::bits) {
    return '[' + join(parts, ',') + ']';
  } else if constexpr (what == kind::associative) {
    return '<' + join(parts, ':') + '>';
  } else if constexpr (what == kind::array) {
    return std::to_string(std::tuple_size_v<T>) + '*' + join(parts, ',');
  } else if constexpr (what == kind::maybe) {
    return '?' + join(parts, ',');
  } else if constexpr (what == kind::choice) {
    return '(' + join(parts, '|') + ')';
  } else {
    return '{' + join(parts, ',') + '}';
  }
}

}  // namespace detail

/// How a `T` is laid out on the wire, as a short text: processes whose texts differ can not talk to each other.
///
///     struct Char { std::size_t place; char value; };
///     ovlp::layout<Char>();                        // "{u8,c}"
///     ovlp::layout<std::map<std::string, int>>();  // "<s:i4>"
///
/// Shape: numbers by kind and bytes: i4, u8, f8, c (char), b (bool), z16 (complex), ei4 (enumeration), t1/1000i8
///        (duration in ms); then s (std::string), [T] (sequence), <K> and <K:V> (set and map), 3*T (array), ?T (value
///        or nothing), (T|U) (variant), {T,U} (aggregate, pair, tuple), #T (buffer; #16:T where elements have
///        padding).
///
/// Names of types and members do not show. Types that are written in the same way may have the same text.
/// Errors: does not compile for what is no data object. Cost: makes a string; not for use while objects are sent.
template <class T>
std::string layout() {
  require_data_object<T>();
  return detail::layout_text<T>();
}

}  // namespace ovlp
