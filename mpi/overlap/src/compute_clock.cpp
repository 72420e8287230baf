// SPDX-License-Identifier: BSD-3-Clause
#include "compute_clock.hpp"

#include <algorithm>
#include <variant>

namespace ovlp::mpi {

compute_clock::compute_clock(std::vector<record> const& records) {
  starts_s_.reserve(records.size() + 1);
  double now_s = 0;
  for (record const& r : records) {
    starts_s_.push_back(now_s);
    if (auto const* burst = std::get_if<compute>(&r)) now_s += burst->duration_s;
  }
  starts_s_.push_back(now_s);
}

place compute_clock::first(double time_s) const {
  auto const next = std::lower_bound(starts_s_.begin(), starts_s_.end(), time_s);
  if (next == starts_s_.begin()) return {0, 0};
  if (next == starts_s_.end()) return {starts_s_.size() - 1, 0};
  auto const before = next - 1;  // it takes time, for it starts earlier than its successor
  return {static_cast<std::size_t>(before - starts_s_.begin()), time_s - *before};
}

place compute_clock::last(double time_s) const {
  auto const next = std::upper_bound(starts_s_.begin(), starts_s_.end(), time_s);
  if (next == starts_s_.begin()) return {0, 0};
  auto const before = next - 1;
  return {static_cast<std::size_t>(before - starts_s_.begin()), next == starts_s_.end() ? 0 : time_s - *before};
}

}  // namespace ovlp::mpi
