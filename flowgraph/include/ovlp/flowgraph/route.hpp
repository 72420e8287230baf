// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace ovlp {

/// What a routing function may look at beside the object.
struct routing {
  std::size_t size;    ///< threads in the target collection now, as the posting node knows it
  std::size_t sender;  ///< index of the posting thread in its collection
  std::size_t place;   ///< place of the object in its group, from 0
  std::size_t opener;  ///< index of the thread that opened the group
};

enum class route_kind : std::uint8_t { at, by, in_turn, at_opener, relative, least_loaded };

/// The routing function of an edge: chooses the index of the receiving thread for each object.
struct route_definition {
  route_kind kind = route_kind::at;
  std::ptrdiff_t argument = 0;                                          ///< index of `at`, offset of `relative`
  std::function<std::int64_t(void const* object, routing const&)> key;  ///< of `by`

  /// Whether it gives a thread without an object, so that an empty group has a closer.
  bool fixed() const { return kind == route_kind::at || kind == route_kind::at_opener; }
  /// The index for an object; `object` may be nullptr where fixed(). Not for least_loaded. That of at_opener may be
  /// beyond the collection's size, if the opener is about to leave.
  /// Errors: graph_error if `at` is outside the collection.
  std::size_t operator()(void const* object, routing const& now) const;
};

namespace detail {

struct plain_route {
  route_kind kind;
  std::ptrdiff_t argument;
};
template <class Key>
struct key_route {
  Key key;
};

template <class Key, class T>
concept key_of = std::is_invocable_v<Key const&, T const&> || std::is_invocable_v<Key const&, T const&, routing const&>;

template <class T>
route_definition make_route(plain_route route) {
  return {route.kind, route.argument, {}};
}
template <class T, class Key>
route_definition make_route(key_route<Key> route) {
  static_assert(key_of<Key, T>,
                "by(key): the key must be a member of this edge's data object type, or a callable of it");
  return {route_kind::by, 0, [key = std::move(route.key)](void const* object, routing const& now) {
            auto const& typed = *static_cast<T const*>(object);
            if constexpr (std::is_invocable_v<Key const&, T const&, routing const&>) {
              return static_cast<std::int64_t>(std::invoke(key, typed, now));
            } else {
              return static_cast<std::int64_t>(std::invoke(key, typed));
            }
          }};
}

}  // namespace detail

/// The thread with this index. Errors: graph_error when posting outside the collection.
inline auto at(std::size_t index) { return detail::plain_route{route_kind::at, static_cast<std::ptrdiff_t>(index)}; }
/// A member of the object, or a callable of the object (and of `routing`): its value modulo the collection's size.
/// It runs on the posting node and must depend on nothing but its arguments.
template <class Key>
auto by(Key key) {
  return detail::key_route<Key>{std::move(key)};
}
/// The object's place in its group, modulo the collection's size.
inline auto in_turn() { return detail::plain_route{route_kind::in_turn, 0}; }
/// The thread that opened the object's group. The operation must stand in the opener's collection.
inline auto at_opener() { return detail::plain_route{route_kind::at_opener, 0}; }
/// The posting thread's index plus the offset, modulo the collection's size.
inline auto relative(std::ptrdiff_t offset) { return detail::plain_route{route_kind::relative, offset}; }
/// The thread with the fewest objects of this group that its closer has not yet handed out, as the posting node
/// knows it; the lowest index of several. Only on the edge that leaves the group's own port.
inline auto least_loaded() { return detail::plain_route{route_kind::least_loaded, 0}; }

}  // namespace ovlp
