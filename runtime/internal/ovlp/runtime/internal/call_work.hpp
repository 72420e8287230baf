// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ovlp {

/// Work of kernels in one call of the main program: the last one for which there was some.
struct call_work {
  std::uint64_t call = 0;
  double done_s = 0;

  void add(std::uint64_t of, double work_s) {
    if (of < call) return;  // nobody asks for it any more
    if (of > call) *this = {of, 0};
    done_s += work_s;
  }
  double of(std::uint64_t which) const { return which == call ? done_s : 0; }
};

}  // namespace ovlp
