// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace ovlp::machine {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// What happens at an instant. It belongs to whoever lets it happen, who keeps it until then.
class event {
 public:
  event() = default;
  event(event const&) = delete;
  event& operator=(event const&) = delete;
  virtual ~event() = default;

  virtual void happen() = 0;
  /// Among events of one instant the smaller comes first.
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
  /// Goes on to `now_s`, and adds what is to happen then; perhaps nothing.
  virtual void advance(double now_s, std::vector<event*>& due) = 0;

 private:
  friend class event_queue;
  std::size_t order_ = 0;  // of sources that have events at one instant
  std::size_t place_ = 0;  // in the heap
  bool changed_ = false;
};

/// The clock of a simulation, and what comes next: events of sources and timers, in the order of (time, number).
///
/// Units: seconds from the start of the simulation.
/// Cost: O(log n) for a source or a timer that changes, n of them.
class event_queue {
 public:
  double now_s() const { return now_s_; }

  /// The source must live as long as the queue is used.
  void add(event_source& source);
  /// Its next_event_s() may be another: it is asked before the clock goes on.
  void changed(event_source& source);
  /// The event's turn among those of its instant is after all that have been numbered before.
  void number(event& e) { e.number_ = ++last_number_; }
  /// Timers. They number the event. `time_s`: not before now.
  void happen_at(double time_s, event& e);
  void happen_after(double delay_s, event& e) { happen_at(now_s_ + delay_s, e); }

  /// Goes on to the next instant at which something happens, and lets it happen. Returns false if nothing does.
  bool advance();

  /// From now on events of one instant happen in an order drawn from this seed: what depends on it is an accident.
  void shuffle(std::uint64_t seed) { shuffled_.emplace(seed); }

 private:
  struct entry {
    double at_s;
    event_source* source;
    bool operator<(entry const& o) const { return at_s != o.at_s ? at_s < o.at_s : source->order_ < o.source->order_; }
  };
  struct timer {
    double at_s;
    event* what;
    bool operator>(timer const& o) const { return at_s != o.at_s ? at_s > o.at_s : what->number() > o.what->number(); }
  };
  void place(entry const& e, std::size_t at);
  void rekey(event_source& source);
  void collect();

  double now_s_ = 0;
  std::uint64_t last_number_ = 0;
  std::vector<entry> sources_;  ///< a heap, the first in front
  std::vector<event_source*> changed_;
  std::vector<timer> timers_;  ///< a heap, the first in front
  std::vector<event*> due_;    ///< at this instant
  std::optional<std::mt19937_64> shuffled_;
};

}  // namespace ovlp::machine
