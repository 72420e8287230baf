// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

/// Before a record of a rank, or so far into it, if it is a computation.
struct place {
  std::size_t record;
  double offset_s;
  friend bool operator<(place const& a, place const& b) {
    return std::tie(a.record, a.offset_s) < std::tie(b.record, b.offset_s);
  }
};

/// Where a rank is in its records when its compute clock says so. The clock stands while it calls MPI, so that a time
/// may have several places.
class compute_clock {
 public:
  explicit compute_clock(std::vector<record> const& records);

  double at_s(std::size_t i) const { return starts_s_[i]; }
  /// The first place with this time, in the computation that leads to it.
  place first(double time_s) const;
  /// The last one, in the computation that goes on from there.
  place last(double time_s) const;

 private:
  std::vector<double> starts_s_;  ///< of each record; last, the end
};

}  // namespace ovlp::mpi
