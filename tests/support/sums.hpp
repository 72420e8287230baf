// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include <ovlp/ovlp.hpp>

/// The data objects and bodies that many tests share: a range is cut into its numbers, and they are added up.
struct Range {
  int first, last;
};
struct Number {
  int value;
};
struct Sum {
  std::int64_t value;
  int objects;
  bool operator==(Sum const&) const = default;
};

inline void cut(Range range, ovlp::out<Number>& numbers) {
  for (int i = range.first; i < range.last; ++i) numbers.post({i});
}
inline Number same(Number number) { return number; }
inline Sum add(ovlp::in<Number>& numbers) {
  Sum sum{};
  while (auto const number = numbers.wait()) {
    sum.value += number->value;
    ++sum.objects;
  }
  return sum;
}
inline Sum add_sums(ovlp::in<Sum>& sums) {
  Sum total{};
  while (auto const sum = sums.wait()) {
    total.value += sum->value;
    total.objects += sum->objects;
  }
  return total;
}
/// What add() gives for a range.
inline Sum sum_of(Range range) {
  Sum sum{};
  for (int i = range.first; i < range.last; ++i) sum = {sum.value + i, sum.objects + 1};
  return sum;
}
