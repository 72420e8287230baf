// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ovlp::shared_memory {

/// Memory that is never given back, from the system and not from malloc(): that may be the traced program's own. Zeros.
/// Thread: one at a time.
class arena {
 public:
  /// Of at most a gigabyte, as it is aligned for any type. nullptr: there is none left.
  void* take(std::size_t bytes);

  template <class Element>
  Element* take_array(std::size_t count) {
    return static_cast<Element*>(take(count * sizeof(Element)));  // NOLINT(bugprone-sizeof-expression)
  }

 private:
  char* chunk_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace ovlp::shared_memory
