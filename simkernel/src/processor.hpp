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

/// What a virtual node computes with.
class processor {
 public:
  processor() = default;
  processor(processor const&) = delete;
  processor& operator=(processor const&) = delete;
  virtual ~processor() = default;

  /// `work_s`: on the reference core, more than 0.
  virtual void start(job& j, std::uint64_t sequence, double work_s, double now_s) = 0;
  /// Communication takes so many cores from now on.
  virtual void set_taken(double cores, double now_s) = 0;
  virtual bool idle() const = 0;
  /// When take_ended() is to be called if nothing changes; infinity: never.
  virtual double next_event_s() const = 0;
  struct ended {
    job* who;
    std::uint64_t sequence;
  };
  /// A job that has ended by now, the first in order of (time, sequence); none if something else has happened.
  virtual std::optional<ended> take_ended(double now_s) = 0;
};

/// Jobs that are all served at the same rate: a job ends when the clock of service has advanced by its work. A start or
/// an end costs O(log n).
class served_jobs {
 public:
  bool empty() const { return jobs_.empty(); }
  double count() const { return static_cast<double>(jobs_.size()); }
  void serve(double work_s) { served_s_ += work_s; }
  void start(job& j, std::uint64_t sequence, double work_s);
  /// Work until the first one ends, 0 or more.
  double left_s() const;
  processor::ended take_first();

 private:
  struct running {
    double end;  ///< on the clock of service
    std::uint64_t sequence;
    job* who;
    bool operator>(running const& other) const {
      return end != other.end ? end > other.end : sequence > other.sequence;
    }
  };
  double served_s_ = 0;        ///< to each job; restarts at zero when idle
  std::vector<running> jobs_;  ///< a heap, the first to end in front
};

/// The cores of a virtual node, shared evenly by the jobs that compute there, none getting more than one core.
///
/// With n jobs, `cores` cores of which communication takes `taken`, and speed v, each job is served at the rate
/// v min(1, (cores - taken) / n) in seconds of the reference core per second.
/// Under a quota a node is served at that rate while its grant of the period lasts; docs/model.md.
/// Source: the paper, section 4; docs/model.md, "Processors".
class own_processor final : public processor {
 public:
  own_processor(double cores, double speed) : cores_(cores), speed_(speed) {}
  own_processor(double cores, double speed, cpu_grant const& grant) : cores_(cores), speed_(speed), grant_(grant) {}

  void start(job& j, std::uint64_t sequence, double work_s, double now_s) override;
  void set_taken(double cores, double now_s) override;
  bool idle() const override { return jobs_.empty(); }
  double next_event_s() const override;
  std::optional<ended> take_ended(double now_s) override;

 private:
  void advance(double now_s);
  void set_rate();

  double const cores_;
  double const speed_;
  double taken_ = 0;
  double at_s_ = 0;  ///< up to when jobs have been served
  double rate_ = 0;  ///< while the node is active
  double busy_ = 0;  ///< cores that jobs and communication use then
  std::optional<cpu_grant> grant_;
  served_jobs jobs_;
};

}  // namespace ovlp::sim
