// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace ovlp {

/// What must hold if our own code is right. Checked in every build; a violation aborts with its place.
inline void expects(bool condition, char const* what, std::source_location where = std::source_location::current()) {
  if (condition) [[likely]]
    return;
  std::fprintf(stderr, "ovlp: broken expectation at %s:%u: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), what);
  std::abort();
}

}  // namespace ovlp
