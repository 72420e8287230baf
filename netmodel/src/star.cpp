// SPDX-License-Identifier: BSD-3-Clause
//
// How it is computed.
//
// Each node has two ports, one out and one in. A port with n transfers gives each of them the share B / n, and keeps
// one service clock: the bytes that it has served, or would have, to each of its transfers since it was last idle. A
// transfer whose bottleneck is this port ends when that clock reaches (clock at its begin + its bytes). So when n
// changes nothing but the clock's speed does, and the next end of the whole network is found through three levels of
// heaps: the transfers of a pair, the pairs of a port, the ports.
//
// The transfers of a pair of nodes have the same bottleneck at all times, the port with the smaller share. The pair is
// attached to that port and has a service clock of its own, which is the port's plus an offset. When the bottleneck
// changes sides, the pair flips: it is attached to the other port, and the offset is set so that its own clock goes on.
//
// To find flips without looking at all pairs, each pair has a threshold between the two shares:
//
//     share of the port it is attached to <= threshold <= share of the other port
//
// While this holds the pair is where it belongs. Each port holds its attached pairs by threshold, to find those that
// its share exceeds, and the pairs attached elsewhere, to find those that its share has fallen below. A pair found this
// way flips, or, if the shares are still in that order, gets a new threshold halfway between them. This is threshold
// counting with two counters: the distance is halved at least each time, so that a pair is rechecked a logarithmic
// number of times before it flips. With equal shares a pair stays where it is, which ends all doubt about rounding.
//
// Whatever ends and begins at one instant is applied before shares are set (set_shares()); clocks of the ports
// concerned are brought up to the instant with their old shares first (touch()).
#include "ovlp/netmodel/star.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <ovlp/support/expects.hpp>

#include "heap.hpp"
#include "node_set.hpp"
#include "pair_table.hpp"

namespace ovlp::net {

namespace {

using support::require;

constexpr std::uint32_t none = 0xffffffff;

/// An entry of a heap of pairs or of ports.
struct entry {
  double key;
  std::uint32_t number;
};

/// A transfer in its bandwidth phase.
struct flow {
  double key;  // where the pair's clock stands when it ends
  std::uint64_t sequence;
  std::uint64_t id;
};

/// A transfer in its latency phase.
struct starting {
  double ready_s;
  transfer what;
};

struct finished {
  std::uint64_t sequence;
  std::uint64_t id;
};

enum side : std::uint8_t { out, in };

side other(side s) { return s == out ? in : out; }

/// One direction of a node's link.
struct port {
  double bandwidth = 0;  // in bytes per second
  double share = 0;      // of each transfer, in bytes per second; 0 when idle
  double clock = 0;      // bytes served to each transfer, as of clock_s
  double clock_s = 0;
  int transfers = 0;              // in their bandwidth phase
  std::uint32_t position = none;  // among the ports by the time of their first end
  bool changed = false;           // since shares were set
  heap<entry> ends;               // attached pairs by the port's clock at the pair's first end
  heap<entry> rising;             // attached pairs by threshold: to check when the share is more
  heap<entry> falling;            // other pairs by minus threshold: to check when the share is less
};

/// The transfers from one node to another.
struct pair {
  std::uint32_t source = none;
  std::uint32_t destination = none;
  side attached = out;
  double offset = 0;  // the pair's clock minus that of the port to which it is attached
  // Where it stands in the heaps of its ports.
  std::uint32_t in_ends = none;
  std::uint32_t in_rising = none;
  std::uint32_t in_falling = none;
  heap<flow> flows;
};

}  // namespace

class star::state {
 public:
  state(std::vector<star_link> const& links, double latency_s);

  void start(transfer const& started, double now_s);
  double next_event() const;
  std::span<completion const> advance(double to_s);

  port const& port_of(std::uint32_t node, side s) const;
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(ports_.size() / 2); }

  node_set touched;
  std::uint64_t flips = 0;
  std::uint64_t rechecks = 0;
  std::uint64_t heap_moves = 0;

 private:
  static std::uint32_t port_number(pair const& p, side s) { return s == out ? 2 * p.source : 2 * p.destination + 1; }
  port& port_of(pair const& p, side s) { return ports_[port_number(p, s)]; }
  /// Of a pair that is attached.
  double clock_of(pair const& p) { return port_of(p, p.attached).clock + p.offset; }

  void begin(transfer const& ready, std::uint64_t sequence);
  void end_first_of(std::uint32_t port_number);
  void end_first_of(pair& ended);
  void count(std::uint32_t port_number, int change);
  port& touch(std::uint32_t port_number);

  void set_shares();
  void attach(std::uint32_t number, side s, double clock);
  void detach(pair const& p);
  void recheck(std::uint32_t number);
  void set_next_end(std::uint32_t port_number);

  std::uint32_t new_pair(std::uint32_t source, std::uint32_t destination);
  void report();

  // What heaps tell: where their entries are.
  auto end_placed() {
    return [this](entry const& e, std::size_t at) { place(pairs_[e.number].in_ends, at); };
  }
  auto rising_placed() {
    return [this](entry const& e, std::size_t at) { place(pairs_[e.number].in_rising, at); };
  }
  auto falling_placed() {
    return [this](entry const& e, std::size_t at) { place(pairs_[e.number].in_falling, at); };
  }
  auto port_placed() {
    return [this](entry const& e, std::size_t at) { place(ports_[e.number].position, at); };
  }
  auto flow_placed() {
    return [this](flow const&, std::size_t) { ++heap_moves; };
  }
  void place(std::uint32_t& position, std::size_t at) {
    position = static_cast<std::uint32_t>(at);
    ++heap_moves;
  }

  double latency_s_;
  double now_s_ = -std::numeric_limits<double>::infinity();
  double last_start_s_ = now_s_;
  std::uint64_t sequence_ = 0;  // of the next transfer to begin, in the order of starts

  std::vector<port> ports_;  // out of node 0, into node 0, out of node 1, ...
  heap<entry> next_ends_;    // ports by the time of their first end
  std::vector<pair> pairs_;
  std::vector<std::uint32_t> unused_pairs_;
  pair_table numbers_;  // of the pairs in use

  // All latencies are equal, so transfers begin in the order in which they were started.
  std::vector<starting> starting_;
  std::size_t begun_ = 0;  // how many at the front of starting_ are past their latency

  // Of the instant in work.
  std::vector<std::uint32_t> changed_ports_;
  std::vector<std::uint32_t> new_pairs_;
  std::vector<finished> finished_;

  std::vector<completion> completions_;
};

star::state::state(std::vector<star_link> const& links, double latency_s)
    : touched(links.size()), latency_s_(latency_s) {
  require(std::isfinite(latency_s) && latency_s >= 0, "star: a latency is finite and not negative");
  require(links.size() < none / 2, "star: too many nodes");
  ports_.reserve(2 * links.size());
  for (star_link const& link : links) {
    for (double const bandwidth : {link.out_Bps, link.in_Bps}) {
      require(std::isfinite(bandwidth) && bandwidth > 0, "star: a bandwidth is finite and more than 0");
      ports_.emplace_back().bandwidth = bandwidth;
    }
  }
}

port const& star::state::port_of(std::uint32_t node, side s) const {
  require(node < nodes(), "star: no such node");
  return ports_[2 * node + (s == in ? 1 : 0)];
}

void star::state::start(transfer const& started, double now_s) {
  require(std::isfinite(now_s) && now_s >= now_s_ && now_s >= last_start_s_, "star: a transfer starts in the past");
  require(started.source < nodes() && started.destination < nodes(), "star: no such node");
  require(started.source != started.destination, "star: a transfer from a node to itself");
  if (begun_ > 64 && 2 * begun_ > starting_.size()) {  // room is reused; each moves once or less on the average
    starting_.erase(starting_.begin(), starting_.begin() + static_cast<std::ptrdiff_t>(begun_));
    begun_ = 0;
  }
  last_start_s_ = now_s;
  starting_.push_back({now_s + latency_s_, started});
}

double star::state::next_event() const {
  double next_s = std::numeric_limits<double>::infinity();
  if (begun_ < starting_.size()) next_s = starting_[begun_].ready_s;
  if (!next_ends_.empty()) next_s = std::min(next_s, next_ends_.top().key);
  return next_s;
}

std::span<completion const> star::state::advance(double to_s) {
  require(std::isfinite(to_s) && to_s >= now_s_, "star: time goes on, and is finite");
  completions_.clear();
  while (next_event() <= to_s) {
    now_s_ = next_event();
    do {
      while (!next_ends_.empty() && next_ends_.top().key <= now_s_) end_first_of(next_ends_.top().number);
      for (; begun_ < starting_.size() && starting_[begun_].ready_s <= now_s_; ++begun_) {
        begin(starting_[begun_].what, sequence_++);
      }
      set_shares();
    } while (next_event() <= now_s_);  // what is too short for the resolution of time
    report();
  }
  now_s_ = to_s;
  return completions_;
}

/// The completions of one instant, in the order of their starts.
void star::state::report() {
  if (finished_.size() > 1) {
    std::sort(finished_.begin(), finished_.end(),
              [](finished const& a, finished const& b) { return a.sequence < b.sequence; });
  }
  for (finished const& f : finished_) completions_.push_back({f.id, now_s_});
  finished_.clear();
}

/// A latency phase has ended.
void star::state::begin(transfer const& ready, std::uint64_t sequence) {
  if (ready.bytes == 0) {
    finished_.push_back({sequence, ready.id});
    return;
  }
  std::uint32_t& number = numbers_(ready.source, ready.destination);
  if (number == pair_table::none) {
    number = new_pair(ready.source, ready.destination);
    new_pairs_.push_back(number);
  }
  pair& p = pairs_[number];
  count(port_number(p, out), 1);
  count(port_number(p, in), 1);
  bool const is_attached = p.in_ends != none;
  double const clock = is_attached ? clock_of(p) : 0;  // a new pair's clock stands until it is attached
  p.flows.push({clock + static_cast<double>(ready.bytes), sequence, ready.id}, flow_placed());
  if (is_attached && p.flows.top().sequence == sequence) {
    port_of(p, p.attached).ends.rekey(p.in_ends, p.flows.top().key - p.offset, end_placed());
  }
}

/// What ends first at a port ends now.
void star::state::end_first_of(std::uint32_t number) {
  port& p = touch(number);
  next_ends_.erase(p.position, port_placed());
  p.position = none;
  // Rounding may have left the clock just before the end for which the time was computed.
  double const reached = std::max(p.clock, p.ends.top().key);
  while (!p.ends.empty() && p.ends.top().key <= reached) end_first_of(pairs_[p.ends.top().number]);
}

void star::state::end_first_of(pair& ended) {
  flow const last = ended.flows.top();
  finished_.push_back({last.sequence, last.id});
  ended.flows.erase(0, flow_placed());
  count(port_number(ended, out), -1);
  count(port_number(ended, in), -1);
  if (!ended.flows.empty()) {
    port_of(ended, ended.attached).ends.rekey(ended.in_ends, ended.flows.top().key - ended.offset, end_placed());
    return;
  }
  std::uint32_t& number = numbers_(ended.source, ended.destination);
  detach(ended);
  ended.in_ends = none;
  unused_pairs_.push_back(number);
  numbers_.erase(ended.source, ended.destination);
}

/// The port has one transfer more or less.
void star::state::count(std::uint32_t port_number, int change) {
  touch(port_number).transfers += change;
  touched.insert(port_number / 2);
}

/// The port changes now: its clock is brought up to now, and set_shares() will look at it.
port& star::state::touch(std::uint32_t port_number) {
  port& p = ports_[port_number];
  if (!p.changed) {
    p.changed = true;
    changed_ports_.push_back(port_number);
    if (p.share > 0) p.clock += p.share * (now_s_ - p.clock_s);
    p.clock_s = now_s_;
  }
  return p;
}

/// The end of an instant.
void star::state::set_shares() {
  std::size_t const changed = changed_ports_.size();  // flips will add ports whose shares stay
  for (std::uint32_t const number : changed_ports_) {
    port& p = ports_[number];
    if (p.transfers == 0) p.clock = 0;
    p.share = p.transfers == 0 ? 0 : p.bandwidth / p.transfers;
  }
  for (std::size_t i = 0; i < changed; ++i) {
    port& p = ports_[changed_ports_[i]];
    while (!p.rising.empty() && p.rising.top().key < p.share) recheck(p.rising.top().number);
    while (!p.falling.empty() && p.falling.top().key < -p.share) recheck(p.falling.top().number);
  }
  for (std::uint32_t const number : new_pairs_) {
    pair const& p = pairs_[number];
    attach(number, port_of(p, out).share <= port_of(p, in).share ? out : in, 0);
  }
  new_pairs_.clear();
  for (std::uint32_t const number : changed_ports_) {
    ports_[number].changed = false;
    set_next_end(number);
  }
  changed_ports_.clear();
}

/// The pair's threshold has been passed: its bottleneck may have changed sides.
void star::state::recheck(std::uint32_t number) {
  pair& p = pairs_[number];
  port& here = port_of(p, p.attached);
  port& there = port_of(p, other(p.attached));
  if (here.share <= there.share) {
    ++rechecks;
    double const threshold = std::midpoint(here.share, there.share);
    here.rising.rekey(p.in_rising, threshold, rising_placed());
    there.falling.rekey(p.in_falling, -threshold, falling_placed());
    return;
  }
  ++flips;
  touch(port_number(p, p.attached));
  touch(port_number(p, other(p.attached)));
  double const clock = clock_of(p);
  detach(p);
  attach(number, other(p.attached), clock);
}

/// The pair's clock goes on with that of its port on this side, which has the smaller share.
void star::state::attach(std::uint32_t number, side s, double clock) {
  pair& p = pairs_[number];
  port& here = port_of(p, s);
  port& there = port_of(p, other(s));
  p.attached = s;
  p.offset = clock - here.clock;
  double const threshold = std::midpoint(here.share, there.share);
  here.ends.push({p.flows.top().key - p.offset, number}, end_placed());
  here.rising.push({threshold, number}, rising_placed());
  there.falling.push({-threshold, number}, falling_placed());
}

void star::state::detach(pair const& p) {
  port& here = port_of(p, p.attached);
  here.ends.erase(p.in_ends, end_placed());
  here.rising.erase(p.in_rising, rising_placed());
  port_of(p, other(p.attached)).falling.erase(p.in_falling, falling_placed());
}

/// The port takes its place among the ports by the time of its first end.
void star::state::set_next_end(std::uint32_t number) {
  port& p = ports_[number];
  if (p.ends.empty()) {
    if (p.position != none) next_ends_.erase(std::exchange(p.position, none), port_placed());
    return;
  }
  double const time_s = p.clock_s + std::max(p.ends.top().key - p.clock, 0.0) / p.share;
  if (p.position == none) {
    next_ends_.push({time_s, number}, port_placed());
  } else {
    next_ends_.rekey(p.position, time_s, port_placed());
  }
}

std::uint32_t star::state::new_pair(std::uint32_t source, std::uint32_t destination) {
  if (unused_pairs_.empty()) {
    unused_pairs_.push_back(static_cast<std::uint32_t>(pairs_.size()));
    pairs_.emplace_back();
  }
  std::uint32_t const number = unused_pairs_.back();
  unused_pairs_.pop_back();
  pairs_[number].source = source;
  pairs_[number].destination = destination;
  return number;
}

star::star(std::vector<star_link> const& links, double latency_s) : state_(std::make_unique<state>(links, latency_s)) {}
star::star(std::size_t nodes, star_link link, double latency_s) : star(std::vector(nodes, link), latency_s) {}
star::~star() = default;

void star::start(transfer const& started, double now_s) { state_->start(started, now_s); }
double star::next_event() const { return state_->next_event(); }
std::span<completion const> star::advance(double to_s) { return state_->advance(to_s); }

std::uint32_t star::incoming(std::uint32_t node) const {
  return static_cast<std::uint32_t>(state_->port_of(node, in).transfers);
}
std::uint32_t star::outgoing(std::uint32_t node) const {
  return static_cast<std::uint32_t>(state_->port_of(node, out).transfers);
}

std::span<std::uint32_t const> star::touched_nodes() const { return state_->touched.members(); }
void star::clear_touched_nodes() { state_->touched.clear(); }

std::uint64_t star::flips() const { return state_->flips; }
std::uint64_t star::rechecks() const { return state_->rechecks; }
std::uint64_t star::heap_moves() const { return state_->heap_moves; }

}  // namespace ovlp::net
