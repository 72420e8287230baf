// SPDX-License-Identifier: BSD-3-Clause
// Takes plain aggregates apart: `fields(object)` gives the members of a struct as references, without a macro and
// without a function of the struct's own. What travels in a graph is written, read, counted and compared through it.
//
// C++20 has no reflection, but it has aggregate initialization and structured bindings:
// 1. How many members are there? `initializer_count` asks the compiler whether `T{x, x, ...}` compiles with 0, 1, 2,
//    ... values that convert to anything. The largest number that does is the number of members.
// 2. Which are they? `auto& [m1, m2] = object` names so many. The number of names can not be a parameter, so
//    `bind_members` spells out every case up to 32.
// 3. What would be counted wrongly, or could not be read into, is refused before, by a rule that has a sentence of its
//    own: a base takes an initializer and is no member, each element of a C array takes one, const members and
//    references can not be assigned.
//
// All of this is done by the compiler. Boost.PFR works in the same way; Boost 1.74 does not have it.
#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ovlp {
namespace detail {

/// The rules of data objects, each named for what breaks it. `aggregate_fault` (below) finds those of a plain
/// aggregate, `inspect` (data_object.hpp) all of them; `explain` turns one into a sentence of the compiler.
enum class rule {
  none,  ///< nothing is wrong
  not_aggregate,
  not_assignable,
  not_defaultable,
  base,
  c_array,
  too_many,
  pointer,
  reference,
  constant,
  union_type,
  recursive,
  element,
};

/// A broken rule and the type that breaks it; `fault<rule::none, void>` where all is well.
template <rule Broken, class Offender>
struct fault {
  static constexpr rule broken = Broken;
};

/// Fails to compile with the sentence of the broken rule; the compiler shows `Offender` beside it.
template <rule Broken, class Offender>
consteval void explain(fault<Broken, Offender> /*found*/) {
  static_assert(Broken != rule::not_aggregate,
                "a data object is a plain aggregate (no constructors, private data or virtual functions), a number or "
                "one of the standard types listed in data_object.hpp");
  static_assert(Broken != rule::not_assignable,
                "a data object can be assigned: none of its members is const or a reference");
  static_assert(Broken != rule::not_defaultable, "a data object can be created without arguments");
  static_assert(Broken != rule::base, "a data object has no base classes: make the base a member");
  static_assert(Broken != rule::c_array, "a data object has no C arrays: use std::array");
  static_assert(Broken != rule::too_many, "a data object has too many members (32 at most): group some in a struct");
  static_assert(Broken != rule::pointer,
                "a data object has no pointers: use ovlp::buffer, std::vector, std::optional or std::unique_ptr");
  static_assert(Broken != rule::reference, "a data object is not a reference and has none");
  static_assert(Broken != rule::constant, "a data object is neither const nor volatile, nor is anything in it");
  static_assert(Broken != rule::union_type, "a data object has no unions: use std::variant");
  static_assert(Broken != rule::recursive, "a data object does not contain its own type, not even in a container");
  static_assert(Broken != rule::element,
                "the elements of a buffer in a data object are numbers, enumerations, complex numbers or durations, or "
                "trivially copyable aggregates of these; bool is not one (use unsigned char)");
}

/// Stands for any member in braces that are never evaluated.
struct anything {
  template <class Member>
  [[noreturn]] operator Member() const {
    std::terminate();
  }
};
/// As many of them as a pack has indices.
template <std::size_t>
using anything_at = anything;

/// Stands for a base of `T` in braces that are never evaluated, and for nothing else.
template <class T>
struct any_base {
  template <class Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const;
};
/// A base takes the first initializer, so `T{base}` compiles for no other type.
template <class T>
concept has_base = requires {
  T{any_base<T>{}};
};

/// std::array is an aggregate, but structured bindings would show its elements.
template <class T>
concept is_tuple_like = requires {
  std::tuple_size<T>::value;
};

/// Does `T` take so many initializers?
template <class T, std::size_t... I>
consteval bool takes(std::index_sequence<I...> /*initializers*/) {
  return requires { T{anything_at<I>{}...}; };
}

/// What `bind_members` spells out. A struct with more members groups some of them in a struct of their own.
inline constexpr std::size_t most_members = 32;

/// How many initializers `T` takes: its members, where a C array counts once per element. Stops at most_members + 1.
template <class T, std::size_t N = 0, bool Found = false>
consteval std::size_t initializer_count() {
  constexpr bool found = takes<T>(std::make_index_sequence<N>{});
  if constexpr (Found && !found) {
    return N - 1;
  } else if constexpr (N > most_members) {
    return N;
  } else {
    return initializer_count<T, N + 1, found>();  // may start with false: a last member may need its initializer
  }
}

/// May `{}` stand in place of one initializer? Not for the first element of a C array: there it stands for all of them.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool takes_braces(std::index_sequence<Before...> /*before*/, std::index_sequence<After...> /*after*/) {
  return requires { T{anything_at<Before>{}..., {}, anything_at<After>{}...}; };
}
/// Asked at every place, for the elements of an array may begin at any.
template <class T, std::size_t... I>
consteval bool no_c_array(std::index_sequence<I...> /*initializers*/) {
  return (takes_braces<T>(std::make_index_sequence<I>{}, std::make_index_sequence<sizeof...(I) - I - 1>{}) && ...);
}

/// The rule that keeps `fields` from taking `T` apart, or rule::none. C arrays of one element pass here.
template <class T>
consteval rule aggregate_fault() {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || is_tuple_like<T>) {
    return rule::not_aggregate;
  } else if constexpr (!std::is_move_assignable_v<T>) {
    return rule::not_assignable;
  } else if constexpr (has_base<T>) {
    return rule::base;
  } else if constexpr (initializer_count<T>() > most_members) {
    return rule::too_many;
  } else if constexpr (!no_c_array<T>(std::make_index_sequence<initializer_count<T>()>{})) {
    return rule::c_array;
  } else {
    return rule::none;
  }
}

/// The structured bindings behind `fields`: `N` is the number of members. Only the case of that number is compiled.
template <std::size_t N, class T>
constexpr auto bind_members(T& x) {
  if constexpr (N == 0) return std::tuple<>{};
#define OVLP_MEMBERS(number, ...) \
  if constexpr (N == (number)) {  \
    auto& [__VA_ARGS__] = x;      \
    return std::tie(__VA_ARGS__); \
  }
  OVLP_MEMBERS(1, m1)
  OVLP_MEMBERS(2, m1, m2)
  OVLP_MEMBERS(3, m1, m2, m3)
  OVLP_MEMBERS(4, m1, m2, m3, m4)
  OVLP_MEMBERS(5, m1, m2, m3, m4, m5)
  OVLP_MEMBERS(6, m1, m2, m3, m4, m5, m6)
  OVLP_MEMBERS(7, m1, m2, m3, m4, m5, m6, m7)
  OVLP_MEMBERS(8, m1, m2, m3, m4, m5, m6, m7, m8)
  OVLP_MEMBERS(9, m1, m2, m3, m4, m5, m6, m7, m8, m9)
  OVLP_MEMBERS(10, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10)
  OVLP_MEMBERS(11, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)
  OVLP_MEMBERS(12, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12)
  OVLP_MEMBERS(13, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13)
  OVLP_MEMBERS(14, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14)
  OVLP_MEMBERS(15, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)
  OVLP_MEMBERS(16, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16)
  OVLP_MEMBERS(17, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17)
  OVLP_MEMBERS(18, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18)
  OVLP_MEMBERS(19, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19)
  OVLP_MEMBERS(20, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20)
  OVLP_MEMBERS(21, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21)
  OVLP_MEMBERS(22, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22)
  OVLP_MEMBERS(23, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23)
  OVLP_MEMBERS(24, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24)
  OVLP_MEMBERS(25, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25)
  OVLP_MEMBERS(26, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26)
  OVLP_MEMBERS(27, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26, m27)
  OVLP_MEMBERS(28, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26, m27, m28)
  OVLP_MEMBERS(29, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26, m27, m28, m29)
  OVLP_MEMBERS(30, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26, m27, m28, m29, m30)
  OVLP_MEMBERS(31, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26, m27, m28, m29, m30, m31)
  OVLP_MEMBERS(32, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
               m23, m24, m25, m26, m27, m28, m29, m30, m31, m32)
#undef OVLP_MEMBERS
}

}  // namespace detail

/// The members of a plain aggregate, in order of declaration, as a std::tuple of references; const if `object` is.
///
///     struct Char { std::size_t place; char value; };
///     Char c{3, 'x'};
///     std::get<1>(ovlp::fields(c)) = 'y';  // c.value
///
/// The references are valid as long as `object` is.
/// Shape: 0 to 32 members; std::array is one member. Not for bit-fields and anonymous unions (the compiler refuses).
/// Errors: does not compile, with a sentence, for bases, C arrays, const or reference members, more than 32 members.
/// Cost: none at run time.
template <class T>
constexpr auto fields(T& object) {
  using aggregate = std::remove_const_t<T>;
  constexpr detail::rule broken = detail::aggregate_fault<aggregate>();
  detail::explain(detail::fault<broken, aggregate>{});
  if constexpr (broken == detail::rule::none) {
    return detail::bind_members<detail::initializer_count<aggregate>()>(object);
  }
}

}  // namespace ovlp
