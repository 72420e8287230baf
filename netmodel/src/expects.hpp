// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ovlp::net {

/// What a correct caller keeps to. Checked in every build.
inline void expects(bool condition, char const* what) {
  if (!condition) [[unlikely]]
    throw std::logic_error(what);
}

}  // namespace ovlp::net
