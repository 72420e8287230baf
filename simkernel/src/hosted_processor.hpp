// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "cpu_grant.hpp"
#include "processor.hpp"

namespace ovlp::sim {

class hosted_processor;

/// A core of a machine on which several nodes live, each with a quota of it. A node that has something to compute, and
/// some of its grant left, gets the core and keeps it until either has ended; the others wait in the order of their
/// asking. So do Linux's control groups, whose grants are shorter than a time slice. docs/model.md.
class host_core {
 public:
  void request(hosted_processor& by, double now_s);
  /// By the one that has it.
  void release(double now_s);

 private:
  hosted_processor* running_ = nullptr;
  std::deque<hosted_processor*> waiting_;
};

/// A node with one core, that it shares with others.
class hosted_processor final : public processor {
 public:
  /// `changed` is called when next_event_s() changes otherwise than by a call of ours.
  hosted_processor(double speed, cpu_grant const& grant, host_core& core, std::function<void()> changed)
      : speed_(speed), grant_(grant), core_(core), changed_(std::move(changed)) {}

  void start(job& j, std::uint64_t sequence, double work_s, double now_s) override;
  void set_taken(double cores, double now_s) override;
  bool idle() const override { return jobs_.empty(); }
  double next_event_s() const override;
  std::optional<ended> take_ended(double now_s) override;

  /// The core is ours.
  void run(double now_s);

 private:
  enum class state : std::uint8_t { idle, waits, runs, used_up };
  void advance(double now_s);
  void set_rate();
  void want_core(double now_s);
  void leave_core(state to, double now_s);

  double const speed_;
  cpu_grant grant_;
  host_core& core_;
  std::function<void()> const changed_;
  state state_ = state::idle;
  double taken_ = 0;
  double at_s_ = 0;
  double rate_ = 0;
  served_jobs jobs_;
};

}  // namespace ovlp::sim
