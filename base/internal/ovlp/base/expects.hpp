// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace ovlp::base {

/// What must hold if our own code is right. Checked in every build; a violation aborts with its place.
/// (Clang 14 does not get std::source_location from GCC 12's library.)
inline void expects(bool condition, char const* what, char const* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (condition) [[likely]]
    return;
  std::fprintf(stderr, "ovlp: broken expectation at %s:%d: %s\n", file, line, what);
  std::abort();
}

/// What the caller of a class must keep to, as the class documents. Checked in every build. Errors: std::logic_error.
inline void require(bool condition, char const* what) {
  if (!condition) [[unlikely]]
    throw std::logic_error(what);
}

}  // namespace ovlp::base
