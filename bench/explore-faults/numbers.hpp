// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/ovlp.hpp>

/// What splits and merges of these programs do with numbers.
namespace bench::explore_faults {

/// 0 to `count` - 1.
inline void deal(int count, ovlp::out<int>& to) {
  for (int i = 0; i < count; ++i) to.post(i);
}
inline int add_up(ovlp::in<int>& numbers) {
  int sum = 0;
  for (int const one : numbers) sum += one;
  return sum;
}

}  // namespace bench::explore_faults
