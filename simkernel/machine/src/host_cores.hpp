// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dedicated_processor.hpp"
#include "processor.hpp"

namespace ovlp::machine {

class host_node;

/// The cores of one machine on which all nodes live, none with a quota: shared evenly by the jobs of all, whichever
/// node they are of, none getting more than one core. As Linux shares cores among threads that are always runnable.
///
/// With n jobs on `cores` cores of which communication takes `taken`, and speed v, each is served at the rate
/// v min(1, (cores - taken) / n), or less, as served_jobs says. Source: docs/model.md, "Processors".
/// Cost: of a start or an end O(log n), whatever the number of nodes.
class host_cores final : public event_source {
 public:
  host_cores(event_queue& events, double cores, double speed) : events_(events), cores_(cores), speed_(speed) {
    events.add(*this);
  }

  void start(host_node& by, job& j, double work_s, float demand);
  /// Communication takes so many cores more from now on.
  void take(double more);
  double next_event_s() const override;
  void advance(double now_s, std::vector<event*>& due) override;

 private:
  void serve_until(double now_s);
  /// Of a core that a job has, 0 to 1.
  double part() const;
  double rate() const { return speed_ * part(); }

  event_queue& events_;
  double const cores_;
  double const speed_;
  double taken_ = 0;
  double at_s_ = 0;  ///< up to when jobs have been served
  served_jobs jobs_;
};

/// A node of such a machine.
class host_node final : public processor {
 public:
  host_node(event_queue& events, std::shared_ptr<host_cores> on) : processor(events), host_(std::move(on)) {}

  bool idle() const override { return jobs_ == 0; }
  bool throttled() const override { return false; }
  double next_event_s() const override { return never; }  // they are the host's
  void advance(double, std::vector<event*>&) override {}

 private:
  friend class host_cores;
  void start_at(double, job& j, double work_s, float demand) override { host_->start(*this, j, work_s, demand); }
  void serve_until(double) override {}
  void taken_has_changed() override {
    host_->take(taken() - taken_from_host_);
    taken_from_host_ = taken();
  }

  std::shared_ptr<host_cores> host_;
  std::size_t jobs_ = 0;  ///< of this node
  double taken_from_host_ = 0;
};

}  // namespace ovlp::machine
