// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ovlp::explore {

/// A data object as it is sent: the inline part, and the elements of large buffers.
struct object_bytes {
  std::span<std::byte const> inline_part;
  std::span<std::byte const> bulk_part;
};

/// How two objects of one type differ.
struct object_difference {
  bool differs = false;
  bool by_rounding = false;     ///< and in nothing but floating-point numbers
  double largest_relative = 0;  ///< of these: |a - b| / max(|a|, |b|)
};

/// Compares two objects by their bytes and the layout of their type (flowgraph/layout.hpp). The elements of maps and
/// sets may come in any order, as they do out of hash tables. Errors: std::logic_error for bytes of another layout.
object_difference compare(std::string const& layout, object_bytes const& one, object_bytes const& other);

}  // namespace ovlp::explore
