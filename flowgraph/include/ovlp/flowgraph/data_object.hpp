// SPDX-License-Identifier: BSD-3-Clause
// Which types can travel in a graph: `data_object<T>`, and why another one can not.
//
// There is nothing to derive from and nothing to register: a type can travel if the compiler finds out what it is made
// of. `shape<T>` says that for each type, as one of ten kinds and the types of the parts. `inspect` goes through the
// shapes of a type and its parts and finds the first rule that is broken; `explain` (fields.hpp) makes it the
// compiler's message. To let another container travel is a line of `shape`, and what walk.hpp has to do with its kind.
#pragma once

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/fields.hpp>

namespace ovlp {
namespace detail {

/// How an object is made of its parts. Everything that goes through data objects (walk, layout, the rules) tells
/// types apart by this alone.
enum class kind {
  unsupported,
  scalar,       ///< a number, enumeration, complex number or duration
  buffer,       ///< buffer<part>
  bits,         ///< std::vector<bool>
  sequence,     ///< any number of its part, in order
  associative,  ///< any number of keys, or of keys with values
  array,        ///< a fixed number of its part
  maybe,        ///< its part or nothing
  choice,       ///< one of its parts
  record,       ///< each of its parts
};

template <class... Parts>
struct parts_list {};

/// What a `shape` derives from.
template <kind Kind, class... Parts>
struct made_of {
  static constexpr kind what = Kind;
  using parts = parts_list<Parts...>;
};

/// The shape of an aggregate, from the types of its members.
template <class... Member>
made_of<kind::record, Member...> record_of(std::tuple<Member&...> members);

/// The shape of a type that is no template of the standard library.
template <class T>
consteval auto plain_shape() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return made_of<kind::scalar>{};
  } else if constexpr (aggregate_fault<T>() == rule::none) {
    return decltype(record_of(fields(std::declval<T&>()))){};
  } else {
    return made_of<kind::unsupported>{};
  }
}

/// Containers may have allocators, comparisons and hash functions of their own, if these can be made without
/// arguments.
// clang-format off
template <class T> struct shape : decltype(plain_shape<T>()) {};
template <class T> struct shape<T const> : shape<T> {};
template <class T> struct shape<std::complex<T>> : made_of<kind::scalar> {};
template <class T, class P> requires std::is_arithmetic_v<T>
struct shape<std::chrono::duration<T, P>> : made_of<kind::scalar> {};
template <class T> struct shape<buffer<T>> : made_of<kind::buffer, T> {};
template <class A> struct shape<std::vector<bool, A>> : made_of<kind::bits, bool> {};
template <class T, class... O> struct shape<std::basic_string<T, O...>> : made_of<kind::sequence, T> {};
template <class T, class... O> struct shape<std::vector<T, O...>> : made_of<kind::sequence, T> {};
template <class T, class... O> struct shape<std::deque<T, O...>> : made_of<kind::sequence, T> {};
template <class T, class... O> struct shape<std::list<T, O...>> : made_of<kind::sequence, T> {};
template <class K, class... O> struct shape<std::set<K, O...>> : made_of<kind::associative, K> {};
template <class K, class... O> struct shape<std::multiset<K, O...>> : made_of<kind::associative, K> {};
template <class K, class... O> struct shape<std::unordered_set<K, O...>> : made_of<kind::associative, K> {};
template <class K, class... O> struct shape<std::unordered_multiset<K, O...>> : made_of<kind::associative, K> {};
template <class K, class V, class... O> struct shape<std::map<K, V, O...>> : made_of<kind::associative, K, V> {};
template <class K, class V, class... O> struct shape<std::multimap<K, V, O...>> : made_of<kind::associative, K, V> {};
template <class K, class V, class... O>
struct shape<std::unordered_map<K, V, O...>> : made_of<kind::associative, K, V> {};
template <class K, class V, class... O>
struct shape<std::unordered_multimap<K, V, O...>> : made_of<kind::associative, K, V> {};
template <class T, std::size_t N> struct shape<std::array<T, N>> : made_of<kind::array, T> {};
template <class T> struct shape<std::optional<T>> : made_of<kind::maybe, T> {};
template <class T> struct shape<std::unique_ptr<T>> : made_of<kind::maybe, T> {};
template <class... T> struct shape<std::variant<T...>> : made_of<kind::choice, T...> {};
template <class A, class B> struct shape<std::pair<A, B>> : made_of<kind::record, A, B> {};
template <class... T> struct shape<std::tuple<T...>> : made_of<kind::record, T...> {};
// clang-format on

/// What a container holds, as a value: a key with its value is a pair.
template <class Key>
Key element_of(parts_list<Key>);
template <class Key, class Value>
std::pair<Key, Value> element_of(parts_list<Key, Value>);
template <class Container>
using element = decltype(element_of(typename shape<Container>::parts{}));

/// bool, or an enumeration of it: in the memory of those only 0 and 1 are values.
template <class T>
consteval bool is_bool() {
  if constexpr (std::is_enum_v<T>) {
    return is_bool<std::underlying_type_t<T>>();
  } else {
    return std::is_same_v<std::remove_const_t<T>, bool>;
  }
}

/// Is every bit pattern in the memory of `T` a value? Then it may be filled from outside. (Not so: bool.)
template <class T>
consteval bool is_raw() {
  using s = shape<T>;
  auto all = []<class... Part>(parts_list<Part...>) { return (is_raw<Part>() && ...); };
  if constexpr (s::what == kind::scalar) {
    return !is_bool<T>();
  } else if constexpr (s::what == kind::array || s::what == kind::record) {
    return std::is_trivially_copyable_v<T> && all(typename s::parts{});
  } else {
    return false;
  }
}

/// Is `T` a buffer whose elements can not travel?
template <class T>
inline constexpr bool has_bad_elements = false;
template <class T>
inline constexpr bool has_bad_elements<buffer<T>> = !is_raw<T>();

/// The first of several faults that is one.
constexpr auto first_fault() { return fault<rule::none, void>{}; }
template <class Offender, class... More>
constexpr auto first_fault(fault<rule::none, Offender> /*fine*/, More... more) {
  return first_fault(more...);
}
template <rule Broken, class Offender, class... More>
constexpr auto first_fault(fault<Broken, Offender> found, More... /*more*/) {
  return found;
}

/// The first rule broken by `T` or by anything in it, as a `fault`. `Outer` are the types that contain this `T`.
template <class T, class... Outer>
consteval auto inspect() {
  if constexpr (std::is_reference_v<T>) {
    return fault<rule::reference, T>{};
  } else if constexpr (std::is_const_v<T> || std::is_volatile_v<T>) {
    return fault<rule::constant, T>{};
  } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>) {
    return fault<rule::pointer, T>{};
  } else if constexpr (std::is_array_v<T>) {
    return fault<rule::c_array, T>{};
  } else if constexpr (std::is_union_v<T>) {
    return fault<rule::union_type, T>{};
  } else if constexpr ((std::is_same_v<T, Outer> || ...)) {
    return fault<rule::recursive, T>{};
  } else if constexpr (shape<T>::what == kind::unsupported) {
    return fault<aggregate_fault<T>(), T>{};
  } else {
    auto parts = []<class... Part>(parts_list<Part...>) { return first_fault(inspect<Part, T, Outer...>()...); };
    using found = decltype(parts(typename shape<T>::parts{}));
    constexpr bool good_parts = found::broken == rule::none;
    if constexpr (good_parts && has_bad_elements<T>) {
      return fault<rule::element, T>{};
    } else if constexpr (good_parts && !std::is_default_constructible_v<T>) {
      return fault<rule::not_defaultable, T>{};
    } else {
      return found{};
    }
  }
}

}  // namespace detail

/// A type whose values can travel on an edge of a graph, be the input or the result of a call, or move with a thread
/// as its state.
///
///     struct Row { std::size_t number; std::vector<double> values; };
///     static_assert(ovlp::data_object<Row> && ovlp::data_object<std::map<std::string, Row>>);
///     static_assert(!ovlp::data_object<Row*>);
///
/// Shape: numbers (bool and characters too), enumerations, std::complex, std::chrono::duration; std::string, vector,
///        deque, list, array, pair, tuple, optional, variant, unique_ptr (to one value), all eight maps and sets;
///        buffer; and plain aggregates, all of these of each other. Nothing that contains its own type: the depth of
///        an object is known from its type, so no message can make a reader recurse deeper. It is moved within a
///        process, so it need not be copyable: std::unique_ptr may be a member.
/// Errors: false for anything else; the compiler tells why in `require_data_object`.
template <class T>
concept data_object = decltype(detail::inspect<T>())::broken == detail::rule::none;

/// Does not compile if `T` is no data object: the message names the rule and the type in `T` that breaks it. Graphs
/// ask this of all types on their edges; a program may ask it where a type is defined.
template <class T>
consteval void require_data_object() {
  detail::explain(detail::inspect<T>());
}

}  // namespace ovlp
