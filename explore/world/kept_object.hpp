// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ovlp/flowgraph/object_type.hpp>

#include "search/same_object.hpp"

namespace ovlp::explore {

/// A data object as it would be sent.
struct kept_object {
  std::vector<std::byte> bytes;
  std::size_t inline_bytes = 0;

  object_bytes parts() const {
    std::span<std::byte const> const all(bytes);
    return {all.first(inline_bytes), all.subspan(inline_bytes)};
  }
  std::uint64_t hash() const;
};

kept_object keep(object_type const& type, void const* object);
/// Makes it again, for as long as the function lasts.
void with_object(object_type const& type, kept_object const& kept, std::function<void(void* object)> const& use);

/// Says whether two results are as good as equal.
using same_result = std::function<bool(void const*, void const*)>;

/// In what a result differs from the expected one: by `same`, if there is one, else by more than `tolerance` of its
/// floating-point numbers. Empty: in nothing.
std::string difference(object_type const& type, kept_object const& expected, kept_object const& got, double tolerance,
                       same_result const& same);

}  // namespace ovlp::explore
