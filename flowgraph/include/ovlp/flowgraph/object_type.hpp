// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <typeinfo>
#include <utility>

#include <ovlp/flowgraph/layout.hpp>
#include <ovlp/flowgraph/reader.hpp>
#include <ovlp/flowgraph/walk.hpp>
#include <ovlp/flowgraph/writer.hpp>

namespace ovlp {

/// What the runtime needs to know of a data object's type to move it, send it and destroy it.
///
/// The runtime is compiled once, for all types: it sees an object as a `void*` and one of these. There is one constant
/// object for each type in a program, made by `type_of<T>()`; its address identifies the type in this process, and the
/// text of its layout in others.
/// Thread: its functions may be called from any, for different objects at once.
struct object_type {
  std::size_t size;                    ///< bytes of the object itself, as sizeof
  std::size_t alignment;               ///< bytes, 16 at most
  std::type_info const* cpp_type;      ///< for messages
  std::string (*layout)();             ///< wire layout, part of the fingerprint
  void (*move)(void* to, void* from);  ///< constructs at `to`, moving from `from`
  void (*destroy)(void* object) noexcept;
  std::size_t (*byte_count)(void const* object);  ///< that write() would write; see walk.hpp
  void (*find_memory)(void const* object, detail::memory_finder& into);
  void (*write)(writer& to, void const* object);  ///< refers to the object: it stays until the bytes are sent
  void (*read)(reader& from, void* to);           ///< constructs at `to`; throws decode_error
};

/// The type's name as written in the source, with its namespaces, for messages.
std::string type_name(std::type_info const& type);
inline std::string type_name(object_type const& type) { return type_name(*type.cpp_type); }

namespace detail {
/// An object that is read is made without arguments first. If reading throws, it is destroyed again.
template <data_object T>
inline constexpr object_type object_type_of{
    sizeof(T),
    alignof(T),
    &typeid(T),
    [] { return layout<T>(); },
    [](void* to, void* from) { ::new (to) T(std::move(*static_cast<T*>(from))); },
    [](void* object) noexcept { static_cast<T*>(object)->~T(); },
    [](void const* object) { return byte_count(*static_cast<T const*>(object)); },
    [](void const* object, memory_finder& into) { walk(into, *static_cast<T const*>(object)); },
    [](writer& to, void const* object) { to.write(*static_cast<T const*>(object)); },
    [](reader& from, void* to) {
      T* object = ::new (to) T{};
      try {
        from.read(*object);
      } catch (...) {
        object->~T();
        throw;
      }
    },
};
}  // namespace detail

/// That of T. Errors: does not compile if T is no data object, with the reason, or is aligned to more than 16 bytes.
template <class T>
constexpr object_type const& type_of() {
  require_data_object<T>();
  static_assert(alignof(T) <= 16, "data objects are aligned to at most 16 bytes (the elements of a buffer to 64)");
  return detail::object_type_of<T>;
}

}  // namespace ovlp
