// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/machine/thread.hpp>

namespace ovlp::machine {

/// What a virtual node computes with. An event source of the queue it is made with.
class processor : public event_source {
 public:
  explicit processor(event_queue& events) : events_(events) { events.add(*this); }
  ~processor() override = default;

  /// `work_s`: on the reference core, more than 0. `demand`: of what cores share. The job happens when it is done.
  void start(job& j, double work_s, float demand = 0) {
    events_.number(j);
    start_at(events_.now_s(), j, work_s, demand);
    events_.changed(*this);
  }
  /// Communication takes so many cores from now on.
  void set_taken(double cores) {
    if (cores == taken_) return;
    serve_until(events_.now_s());
    taken_ = cores;
    taken_has_changed();
    events_.changed(*this);
  }
  /// Work of a thread's that has been done, and all that has been so far: on the reference core.
  void done(double work_s) { done_s_ += work_s; }
  double done_s() const { return done_s_; }
  /// Whether no job is there.
  virtual bool idle() const = 0;
  /// Whether a quota has ever made it wait.
  virtual bool throttled() const = 0;

 protected:
  double taken() const { return taken_; }
  event_queue& events() const { return events_; }

 private:
  virtual void start_at(double now_s, job& j, double work_s, float demand) = 0;
  /// Jobs have been served as they were until now.
  virtual void serve_until(double now_s) = 0;
  virtual void taken_has_changed() = 0;

  event_queue& events_;
  double taken_ = 0;
  double done_s_ = 0;
};

/// Those of so many nodes. `vary`: by this seed, speeds, and the moments at which quotas' periods begin, are those of
/// one of many runs that could be.
std::vector<std::unique_ptr<processor>> make_processors(event_queue& events, platform const& on, std::size_t nodes,
                                                        std::optional<std::uint64_t> vary);

}  // namespace ovlp::machine
