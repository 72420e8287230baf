// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

#include <ovlp/flowgraph/walk.hpp>

namespace ovlp {

/// A parameter of an operation's body that has one value in a run, without its type. All processes should have the
/// same; a real run compares them.
struct parameter_definition {
  std::size_t place;  ///< among the parameters of the body, from 1
  std::type_info const* cpp_type;
  std::shared_ptr<void const> value;
  std::uint64_t (*digest)(void const* value);
  std::string (*text)(void const* value);  ///< of numbers and texts; nullptr: of others
};

namespace detail {

/// As people write it.
template <class T>
std::string text_of(T const& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return text_of(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::integral<T>) {
    return std::to_string(value);  // of characters the number
  } else if constexpr (std::floating_point<T>) {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  } else {
    return value;
  }
}
template <class T>
inline constexpr bool has_text = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;

template <data_object T>
parameter_definition define_parameter(std::size_t place, std::shared_ptr<T const> value) {
  parameter_definition made{place, &typeid(T), value, nullptr, nullptr};
  made.digest = [](void const* object) { return digest_of(*static_cast<T const*>(object)); };
  if constexpr (has_text<T>) made.text = [](void const* object) { return text_of(*static_cast<T const*>(object)); };
  return made;
}

}  // namespace detail
}  // namespace ovlp
