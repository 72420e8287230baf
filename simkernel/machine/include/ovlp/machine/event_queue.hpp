// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <ovlp/base/heap.hpp>

namespace ovlp::machine {

/// The time of what does not come. Seconds.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// What happens at an instant. It belongs to whoever lets it happen, who keeps it until then. It is to happen once at
/// a time: its number is its own.
class event {
 public:
  event() = default;
  event(event const&) = delete;
  event& operator=(event const&) = delete;
  virtual ~event() = default;

  /// The clock is there. May let others happen, itself too, at this instant or later.
  virtual void happen() = 0;
  /// Among events of one instant the smaller comes first: what began earlier.
  std::uint64_t number() const { return number_; }

 private:
  friend class event_queue;
  std::uint64_t number_ = 0;
};

/// Whatever finds out by itself when its next event comes: a processor, a network.
class event_source {
 public:
  event_source() = default;
  event_source(event_source const&) = delete;
  event_source& operator=(event_source const&) = delete;
  virtual ~event_source() = default;

  /// When advance() is to be called if nothing changes; `never`.
  virtual double next_event_s() const = 0;
  /// Goes on to `now_s`, and adds what is to happen then; perhaps nothing. It lets nothing happen by itself, so all
  /// ends of an instant are known before the first has effects.
  virtual void advance(double now_s, std::vector<event*>& due) = 0;

 private:
  friend class event_queue;
  std::size_t order_ = 0;  // of sources that have events at one instant
  std::size_t place_ = 0;  // in the heap
  bool changed_ = false;
};

/// The clock of a simulation, and what comes next: events of sources and timers, in the order of (time, number).
///
///     struct bell final : event { void happen() override { std::puts("ding"); } } ding;
///     event_queue events;
///     events.happen_after(1.5, ding);
///     while (events.advance()) {}  // until nothing happens any more; now_s() is 1.5
///
/// Nothing else decides the order, no clock of the host, address or hash: the same program gives the same run.
///
/// Units: seconds from the start of the simulation.
/// Thread: one. Queues are independent of one another.
/// Cost: O(log n) for a source or a timer that changes, n of them; k events of one instant are sorted, O(k log k).
/// Source: the paper, section 4, figure 4 (management of the simulated time).
class event_queue {
 public:
  /// The time of the instant that advance() went to last; 0 at first. It never goes back.
  double now_s() const { return now_s_; }

  /// The source must live as long as the queue is used.
  void add(event_source& source);
  /// Its next_event_s() may be another: it is asked before the clock goes on, once for all changes of an instant.
  void changed(event_source& source);
  /// The event's turn among those of its instant is after all that have been numbered before.
  void number(event& e) { e.number_ = ++last_number_; }
  /// Timers. They number the event. `time_s`: not before now. A timer cannot be taken back.
  void happen_at(double time_s, event& e);
  void happen_after(double delay_s, event& e) { happen_at(now_s_ + delay_s, e); }

  /// Goes on to the next instant at which something happens, and lets it happen. Returns false if nothing does. What
  /// these events let happen at the same instant comes with the next advance(), which then does not move the clock.
  bool advance();

  /// From now on events of one instant happen in an order drawn from this seed: what depends on it is an accident.
  void shuffle(std::uint64_t seed) { shuffled_.emplace(seed); }

 private:
  struct entry {
    double key;  ///< when its next event comes
    event_source* source;
    bool operator<(entry const& o) const { return key != o.key ? key < o.key : source->order_ < o.source->order_; }
  };
  struct timer {
    double at_s;
    event* what;
    bool operator>(timer const& o) const { return at_s != o.at_s ? at_s > o.at_s : what->number() > o.what->number(); }
  };
  static void placed(entry const& e, std::size_t at) { e.source->place_ = at; }
  void collect();

  double now_s_ = 0;
  std::uint64_t last_number_ = 0;
  base::heap<entry> sources_;
  std::size_t last_order_ = 0;
  std::vector<event_source*> changed_;
  std::vector<std::size_t> advancing_;  ///< places in sources_
  std::vector<timer> timers_;           ///< a heap, the first in front
  std::vector<event*> due_;             ///< at this instant
  std::optional<std::mt19937_64> shuffled_;
};

}  // namespace ovlp::machine
