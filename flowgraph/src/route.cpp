// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/route.hpp>

#include <string>

#include <ovlp/base/error.hpp>

namespace ovlp {
namespace {

std::size_t modulo(std::int64_t value, std::size_t size) {
  auto const divisor = static_cast<std::int64_t>(size);
  std::int64_t const rest = value % divisor;
  return static_cast<std::size_t>(rest < 0 ? rest + divisor : rest);
}

std::size_t inside(std::size_t index, std::size_t size) {
  if (index >= size) {
    throw graph_error("route at(index) chose thread " + std::to_string(index) + " of a collection with " +
                      std::to_string(size));
  }
  return index;
}

}  // namespace

std::size_t route_definition::operator()(void const* object, routing const& now) const {
  switch (kind) {
    case route_kind::at: return inside(static_cast<std::size_t>(argument), now.size);
    case route_kind::at_opener: return now.opener;
    case route_kind::by: return modulo(key(object, now), now.size);
    case route_kind::in_turn: return now.place % now.size;
    case route_kind::relative: return modulo(static_cast<std::int64_t>(now.sender) + argument, now.size);
    case route_kind::least_loaded: break;
  }
  throw graph_error("least_loaded() has no meaning without a group");
}

}  // namespace ovlp
