// SPDX-License-Identifier: BSD-3-Clause
// Routes: which thread of the target's collection gets an object. A route is a value on an edge, evaluated on the
// posting node for each object when it is posted, with the number of threads that this node knows then.
//
//   g.edge(cut, count, ovlp::in_turn());
//   g.edge(blocks, solve, ovlp::by(&Block::column));
//   g.edge(blocks, solve, ovlp::by([](Block const& b, ovlp::routing const& now) { return b.row % now.size; }));
//
// All objects of one group must come to one thread of their merge or stream: at, at_opener, or by a value that is the
// same for all; else the run ends with a graph_error that names both threads. An empty group finds its closer by at or
// at_opener only.
// Source: the paper, section 2 (routing functions, relative thread indices).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace ovlp {

/// What a routing function may look at beside the object. Of the input of a call, on the route of `enter`: place counts
/// the calls that were made on the calling node; sender and opener are the index of the calling operation's thread, or
/// 0 for the main program.
struct routing {
  std::size_t size;    ///< threads in the target collection now, as the posting node knows it
  std::size_t sender;  ///< index of the posting thread in its collection
  std::size_t place;   ///< place of the object in its group, from 0
  std::size_t opener;  ///< index of the thread that opened the group
};

/// What a route_definition is, one for each of the functions below.
enum class route_kind : std::uint8_t { at, by, in_turn, at_opener, relative, least_loaded };

/// The routing function of an edge without its types: chooses the index of the receiving thread for each object.
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

/// What the functions below give: routes that any object can take, and one that asks the object. An edge makes them
/// route_definitions, since it knows the object's type.
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

/// The route of an edge for objects of type T. A key that is none of T does not compile.
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

/// The thread with this index. Errors: graph_error when posting, if the collection does not have it then.
inline auto at(std::size_t index) { return detail::plain_route{route_kind::at, static_cast<std::ptrdiff_t>(index)}; }
/// A member of the object, or a callable of the object (and of `routing`): its value modulo the collection's size,
/// where -1 is the last thread. The value is a number that converts to std::int64_t. It runs on the posting node and
/// must depend on nothing but its arguments.
/// Thread: any, several at once.
/// Errors: a key that is not of the edge's data object does not compile.
template <class Key>
auto by(Key key) {
  return detail::key_route<Key>{std::move(key)};
}
/// The object's place in its group, modulo the collection's size. It deals out evenly, whatever the threads do. At the
/// entry of a graph: the number of calls made so far on the calling node.
inline auto in_turn() { return detail::plain_route{route_kind::in_turn, 0}; }
/// The thread that opened the object's group. The operation must stand in the opener's collection: the graph's check
/// throws graph_error else. A thread that leaves the collection stays until such a group has been closed.
inline auto at_opener() { return detail::plain_route{route_kind::at_opener, 0}; }
/// The posting thread's index plus the offset, modulo the collection's size: neighbours in a ring.
inline auto relative(std::ptrdiff_t offset) { return detail::plain_route{route_kind::relative, offset}; }
/// The thread with the fewest objects of this group that its closer has not yet handed out, as the posting node knows
/// it; the lowest index of several. Only on the edge that leaves the group's own port: graph_error else.
/// Cost: linear in the number of threads for each object, and a message from the closer's node for each.
inline auto least_loaded() { return detail::plain_route{route_kind::least_loaded, 0}; }

}  // namespace ovlp
