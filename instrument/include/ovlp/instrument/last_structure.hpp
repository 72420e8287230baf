// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ovlp::instrument {

/// The last structure that was loaded, and the last one that was stored, as a whole. GCC may copy them by memcpy then,
/// and that is no other access: copies.hpp looks whether it is so, and doors.hpp tells it.
struct last_structure {
  void const *loaded, *stored;
  std::size_t loaded_bytes, stored_bytes;
};
extern __thread __attribute__((tls_model("initial-exec"))) last_structure last;  // of a thread

}  // namespace ovlp::instrument
