// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu_grant.hpp"

namespace ovlp::sim {

/// Something that computes on a node: who is told when it has.
struct job {
  enum class kind_type : std::uint8_t { step, message };
  explicit job(kind_type k) : kind(k) {}
  kind_type kind;
};

/// The cores of a virtual node, shared evenly by the jobs that compute there, none getting more than one core.
///
/// With n jobs, `cores` cores of which communication takes `taken`, and speed v, each job is served at the rate
/// v min(1, (cores - taken) / n) in seconds of the reference core per second. All jobs have the same rate, so one clock
/// of service serves all: a job ends when the clock has advanced by its work. A start or an end costs O(log n).
/// Under a quota a node is served at that rate while its grant of the period lasts; docs/model.md.
/// Source: DESIGN.md, "Simulated time", 3; the paper's section 4.
class processor {
 public:
  processor(double cores, double speed) : cores_(cores), speed_(speed) {}
  processor(double cores, double speed, cpu_grant const& grant) : cores_(cores), speed_(speed), grant_(grant) {}

  /// `work_s`: on the reference core, more than 0.
  void start(job& j, std::uint64_t sequence, double work_s, double now_s);
  void set_taken(double cores, double now_s);
  bool idle() const { return jobs_.empty(); }
  /// When the next job ends if nothing changes; infinity if none runs.
  double next_end_s() const;
  /// A job that has ended by now, the first in order of (time, sequence).
  struct ended {
    job* who;
    std::uint64_t sequence;
  };
  ended take_ended(double now_s);

 private:
  struct running {
    double end;  ///< on the clock of service
    std::uint64_t sequence;
    job* who;
    bool operator>(running const& other) const {
      return end != other.end ? end > other.end : sequence > other.sequence;
    }
  };
  void advance(double now_s);
  void set_rate();
  double const cores_;
  double const speed_;
  double taken_ = 0;
  double served_s_ = 0;  ///< to each job; restarts at zero when idle
  double at_s_ = 0;      ///< when served_s_ was right
  double rate_ = 0;      ///< while the node is active
  double busy_ = 0;      ///< cores that jobs and communication use then
  std::optional<cpu_grant> grant_;
  std::vector<running> jobs_;  ///< a heap, the first to end in front
};

}  // namespace ovlp::sim
