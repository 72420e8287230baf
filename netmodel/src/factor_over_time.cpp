// SPDX-License-Identifier: BSD-3-Clause
#include "ovlp/netmodel/factor_over_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ovlp/base/expects.hpp>

namespace ovlp::net {

factor_over_time::factor_over_time(std::vector<step> steps) : steps_(std::move(steps)) {
  double last_s = -1;
  for (step const& s : steps_) {
    base::require(std::isfinite(s.from_s) && s.from_s >= 0 && s.from_s > last_s, "steps: in order of time, from 0");
    base::require(std::isfinite(s.factor) && s.factor >= 0, "steps: a factor is finite and not negative");
    last_s = s.from_s;
  }
}

double factor_over_time::at(double time_s) const {
  auto const next = std::ranges::upper_bound(steps_, time_s, {}, &step::from_s);
  return next == steps_.begin() ? 1 : std::prev(next)->factor;
}

double factor_over_time::least() const {
  double least = 1;
  for (step const& s : steps_) least = std::min(least, s.factor);
  return least;
}

double factor_over_time::next_change_s(double time_s) const {
  auto const next = std::ranges::upper_bound(steps_, time_s, {}, &step::from_s);
  return next == steps_.end() ? std::numeric_limits<double>::infinity() : next->from_s;
}

double factor_over_time::integral(double from_s, double to_s) const {
  double sum = 0;
  while (from_s < to_s) {
    double const until_s = std::min(to_s, next_change_s(from_s));
    sum += at(from_s) * (until_s - from_s);
    from_s = until_s;
  }
  return sum;
}

}  // namespace ovlp::net
