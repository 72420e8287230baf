// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "processor.hpp"
#include "quota_budget.hpp"
#include "unsteady_speed.hpp"

namespace ovlp::machine {

/// Jobs that are all served at one rate, but for those that wait for what cores share, such as memory: of it a job that
/// has a part p of a core asks for p · demand, and gets a max-min fair share of 1. One that gets less is as many times
/// slower. Source: docs/model.md, "Processors".
///
/// A job is done when the clock of service of those that demand as much has advanced by its work. A start or an end
/// costs O(log n + d), n jobs with d demands.
class served_jobs {
 public:
  bool empty() const { return count_ == 0; }
  double count() const { return static_cast<double>(count_); }
  /// `work_s`: to each that waits for nothing.
  void serve(double work_s) {
    usual_.served_s += work_s;
    for (alike& jobs : demanding_) jobs.served_s += work_s * jobs.rate;
  }
  /// `counter`: of jobs; one less when this one is taken.
  void start(job& j, double work_s, float demand, std::size_t* counter = nullptr);
  /// Each job has this part of a core from now on. To be said after each start and end.
  void share(double part) {
    if (!demanding_.empty()) [[unlikely]]
      share_what_is_demanded(part);
  }
  /// What serve() has to be called with until the first one is done, 0 or more.
  double left_s() const;
  job& take_first();

 private:
  struct running {
    double end;  ///< on the clock of service
    job* what;
    std::size_t* counter;
    bool operator>(running const& other) const {
      return end != other.end ? end > other.end : what->number() > other.what->number();
    }
  };
  /// Those that demand as much.
  struct alike {
    explicit alike(float of_each = 0) : demand(of_each) {}

    float demand;
    double rate = 1;            ///< relative to those that wait for nothing
    double served_s = 0;        ///< to each job; restarts at zero when there is none
    std::vector<running> jobs;  ///< a heap, the first to end in front

    double left_s() const;
  };
  void share_what_is_demanded(double part);
  alike& first();

  std::size_t count_ = 0;
  alike usual_;                   ///< that demand nothing
  std::vector<alike> demanding_;  ///< others, by demand
};

/// The cores of a node that shares them with nobody, shared evenly by the jobs that compute there, none getting more
/// than one core.
///
/// With n jobs, `cores` cores of which communication takes `taken`, and speed v, each job is served at the rate
/// v min(1, (cores - taken) / n), or less, as served_jobs says, in seconds of the reference core per second, v being
/// the speed of the moment. Under a quota the node is served at that rate while its budget of the period lasts, and
/// then stands still. Source: the paper, section 4; docs/model.md, "Processors".
class dedicated_processor final : public processor {
 public:
  dedicated_processor(event_queue& events, double cores, unsteady_speed speed, std::optional<quota_budget> budget = {})
      : processor(events), cores_(cores), speed_(std::move(speed)), budget_(budget) {}

  bool idle() const override { return jobs_.empty(); }
  bool throttled() const override { return budget_ && budget_->throttled(); }
  double next_event_s() const override;
  void advance(double now_s, std::vector<event*>& due) override;

 private:
  void start_at(double now_s, job& j, double work_s, float demand) override;
  void serve_until(double now_s) override;
  void taken_has_changed() override { set_rate(); }
  void set_rate();
  double first_end_s() const;

  double const cores_;
  unsteady_speed speed_;
  double at_s_ = 0;  ///< up to when jobs have been served
  double rate_ = 0;  ///< while the node is not throttled
  double busy_ = 0;  ///< cores that jobs and communication use then
  std::optional<quota_budget> budget_;
  served_jobs jobs_;
};

}  // namespace ovlp::machine
