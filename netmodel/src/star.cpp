// SPDX-License-Identifier: BSD-3-Clause
//
// How it is computed.
//
// Each node has two ports, one out and one in. A port with n transfers gives each of them the share B / n, and keeps
// one service clock: the bytes that it has served, or would have, to each of its transfers since it was last idle. A
// transfer whose bottleneck is this port ends when that clock reaches (clock at its begin + its bytes). So when n
// changes nothing but the clock's speed does, and the next end of the whole network is the first of the ports' first
// ends, which are kept in a heap.
//
// The transfers of a pair of nodes have the same bottleneck at all times, the port with the smaller share. The pair is
// attached to that port, whose clock tells when its first transfer ends. When the bottleneck changes sides, the pair
// flips: what is left of that transfer then goes by the other port's clock. With equal shares a pair stays where it is,
// which ends all doubt about rounding.
//
// Which pairs flip when a share changes? Pairs whose shares are close may flip at any change: these are *near*. Both
// ports have them in a list, and go through it when their share changes. But a port may have very many pairs that
// cannot flip for long: those of a node that sends to all others. A pair is *far* once its shares differ by more than a
// factor of two, and then has a threshold between them:
//
//     share of the port it is attached to <= threshold <= share of the other port
//
// While this holds nothing has to be done. Each port holds its attached far pairs by threshold, to find those that its
// share exceeds, and the far pairs attached elsewhere, to find those that its share has fallen below. A pair found this
// way is near again if its shares differ by less than a factor of 1.5, else its new threshold is halfway between them:
// the distance is halved at least each time, so that a pair is rechecked a logarithmic number of times.
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
constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// Of a pair's larger share to its smaller one: beyond which a near pair becomes far, and below which a far one near.
constexpr double becomes_far = 2;
constexpr double becomes_near = 1.5;

/// A near pair, as one of its ports has it.
struct neighbour {
  double end;           // of its first transfer on this port's clock; never, unless the pair is attached here
  std::uint32_t other;  // port
  std::uint32_t place;  // among the other port's neighbours
  std::uint32_t pair;
  bool attached;  // here
};

/// One direction of a node's link. Its share is kept apart.
struct port {
  double bandwidth = 0;  // in bytes per second
  double clock = 0;      // bytes served to each transfer, as of clock_s
  double clock_s = 0;
  int transfers = 0;              // in their bandwidth phase
  std::uint32_t position = none;  // among the ports by the time of their first end
  std::uint32_t first = none;     // the attached neighbour that ends first
  bool first_known = true;
  bool changed = false;  // since shares were set
  std::vector<neighbour> neighbours;
  heap<entry> ends;     // attached far pairs by the port's clock at the pair's first end
  heap<entry> rising;   // attached far pairs by threshold: to check when the share is more
  heap<entry> falling;  // other far pairs by minus threshold: to check when the share is less
};

/// On the port's clock.
double first_near_end(port const& p) {
  if (p.first == none) return infinity;
  return p.neighbours[p.first].end;
}
double first_far_end(port const& p) {
  if (p.ends.empty()) return infinity;
  return p.ends.top().key;
}

/// The transfers from one node to another.
struct pair {
  std::uint32_t source = none;
  std::uint32_t destination = none;
  bool attached = false;  // else it is new
  bool far = false;
  std::uint32_t place = none;  // of a near one, among the neighbours of its port out
  // Of a far one: the side that it is attached to, and where it stands in the heaps of its ports.
  side limit = out;
  std::uint32_t in_ends = none;
  std::uint32_t in_rising = none;
  std::uint32_t in_falling = none;
  heap<flow> flows;  // by what the pair's own clock says at their ends
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
  std::uint64_t looks = 0;

 private:
  static std::uint32_t port_number(pair const& p, side s) { return s == out ? 2 * p.source : 2 * p.destination + 1; }
  port& port_of(pair const& p, side s) { return ports_[port_number(p, s)]; }
  double share_of(pair const& p, side s) const { return shares_[port_number(p, s)]; }
  double clock_now(std::uint32_t number) const {
    return ports_[number].clock + shares_[number] * (now_s_ - ports_[number].clock_s);
  }

  void begin(transfer const& ready, std::uint64_t sequence);
  void end_first_of(std::uint32_t port_number);
  void end_neighbours(std::uint32_t port_number, double reached);
  void end_first_transfer(std::uint32_t pair_number);
  void count(std::uint32_t port_number, int change);
  port& touch(std::uint32_t port_number);
  void begin_change(std::uint32_t port_number);

  void set_shares();
  void look_at_neighbours(std::uint32_t port_number);
  void recheck(std::uint32_t pair_number);
  void flip(std::uint32_t port_number, std::uint32_t place);
  void attach(std::uint32_t pair_number, side s, double left_bytes);
  void detach(pair const& p);
  side limit_of(pair const& p) const;
  double end_of(pair const& p) const;
  void set_end(pair const& p, double end);

  void remove_neighbour(std::uint32_t port_number, std::uint32_t place);
  void may_end_first(std::uint32_t port_number, std::uint32_t place);
  void forget_first(std::uint32_t port_number);
  void find_first(port& p);
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
  static void placed_anywhere(flow const&, std::size_t) {}
  static void place(std::uint32_t& position, std::size_t at) { position = static_cast<std::uint32_t>(at); }

  double latency_s_;
  double now_s_ = -std::numeric_limits<double>::infinity();
  double last_start_s_ = now_s_;
  std::uint64_t sequence_ = 0;  // of the next transfer to begin, in the order of starts

  std::vector<port> ports_;     // out of node 0, into node 0, out of node 1, ...
  std::vector<double> shares_;  // by port: of each transfer, in bytes per second; 0 when idle
  heap<entry> next_ends_;       // ports by the time of their first end
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
  shares_.resize(ports_.size());
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
  for (double next_s = next_event(); next_s <= to_s;) {
    now_s_ = next_s;
    do {
      while (!next_ends_.empty() && next_ends_.top().key <= now_s_) end_first_of(next_ends_.top().number);
      for (; begun_ < starting_.size() && starting_[begun_].ready_s <= now_s_; ++begun_) {
        begin(starting_[begun_].what, sequence_++);
      }
      set_shares();
      next_s = next_event();
    } while (next_s <= now_s_);  // what is too short for the resolution of time
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
  // How far the pair's own clock is ahead of its port's. A new pair's stands at zero until it is attached.
  double const ahead = p.attached ? p.flows.top().key - end_of(p) : 0;
  double const clock = p.attached ? port_of(p, limit_of(p)).clock + ahead : 0;
  p.flows.push({clock + static_cast<double>(ready.bytes), sequence, ready.id}, placed_anywhere);
  if (p.attached && p.flows.top().sequence == sequence) set_end(p, p.flows.top().key - ahead);
}

/// What ends first at a port ends now.
void star::state::end_first_of(std::uint32_t number) {
  port& p = touch(number);
  next_ends_.erase(p.position, port_placed());
  p.position = none;
  double const near_end = first_near_end(p);
  // Rounding may have left the clock just before the end for which the time was computed.
  double const reached = std::max(p.clock, std::min(near_end, first_far_end(p)));
  while (!p.ends.empty() && p.ends.top().key <= reached) end_first_transfer(p.ends.top().number);
  if (near_end <= reached) end_neighbours(number, reached);
}

/// Finds which one ends next as it goes.
void star::state::end_neighbours(std::uint32_t number, double reached) {
  port& p = ports_[number];
  forget_first(number);
  looks += p.neighbours.size();
  double least = infinity;
  std::uint32_t first = none;
  for (std::uint32_t place = 0; place < p.neighbours.size();) {
    double const end = p.neighbours[place].end;
    if (end <= reached) {
      end_first_transfer(p.neighbours[place].pair);  // another pair is here now, or this one ends later
      continue;
    }
    if (end < least) {
      least = end;
      first = place;
    }
    ++place;
  }
  p.first = first;
  p.first_known = true;
}

void star::state::end_first_transfer(std::uint32_t number) {
  pair& p = pairs_[number];
  flow const last = p.flows.top();
  double const ahead = last.key - end_of(p);
  finished_.push_back({last.sequence, last.id});
  p.flows.erase(0, placed_anywhere);
  count(port_number(p, out), -1);
  count(port_number(p, in), -1);
  if (!p.flows.empty()) {
    set_end(p, p.flows.top().key - ahead);
    return;
  }
  detach(p);
  p.attached = false;
  unused_pairs_.push_back(number);
  numbers_.erase(p.source, p.destination);
}

/// The port has one transfer more or less.
void star::state::count(std::uint32_t port_number, int change) {
  touch(port_number).transfers += change;
  touched.insert(port_number / 2);
}

/// The port changes now: its clock is brought up to now, and set_shares() will look at it.
port& star::state::touch(std::uint32_t port_number) {
  port& p = ports_[port_number];
  if (!p.changed) begin_change(port_number);
  return p;
}

void star::state::begin_change(std::uint32_t port_number) {
  port& p = ports_[port_number];
  p.changed = true;
  changed_ports_.push_back(port_number);
  p.clock = clock_now(port_number);
  p.clock_s = now_s_;
}

/// The end of an instant.
void star::state::set_shares() {
  std::size_t const changed = changed_ports_.size();  // flips will add ports whose shares stay
  for (std::uint32_t const number : changed_ports_) {
    port& p = ports_[number];
    if (p.transfers == 0) p.clock = 0;
    shares_[number] = p.transfers == 0 ? 0 : p.bandwidth / p.transfers;
  }
  for (std::size_t i = 0; i < changed; ++i) {
    std::uint32_t const number = changed_ports_[i];
    port& p = ports_[number];
    look_at_neighbours(number);
    while (!p.rising.empty() && p.rising.top().key < shares_[number]) recheck(p.rising.top().number);
    while (!p.falling.empty() && p.falling.top().key < -shares_[number]) recheck(p.falling.top().number);
  }
  for (std::uint32_t const number : new_pairs_) {
    pair& p = pairs_[number];
    attach(number, share_of(p, out) <= share_of(p, in) ? out : in, p.flows.top().key);
    p.attached = true;
  }
  new_pairs_.clear();
  for (std::size_t i = 0; i < changed_ports_.size(); ++i) {
    ports_[changed_ports_[i]].changed = false;
    set_next_end(changed_ports_[i]);
  }
  changed_ports_.clear();
}

/// The port's share has changed: near pairs may flip, or become far.
void star::state::look_at_neighbours(std::uint32_t number) {
  std::vector<neighbour> const& all = ports_[number].neighbours;
  double const here = shares_[number];
  looks += all.size();
  for (std::uint32_t place = 0; place < all.size();) {
    double const there = shares_[all[place].other];
    // No branch on where it is attached, which no processor can predict.
    if (bool(there != here) & ((there < here) == all[place].attached)) flip(number, place);
    if (std::max(here, there) > becomes_far * std::min(here, there)) {
      pair const& p = pairs_[all[place].pair];
      side const limit = limit_of(p);
      double const left_bytes = end_of(p) - clock_now(port_number(p, limit));
      std::uint32_t const pair_number = all[place].pair;
      detach(p);  // another neighbour is at this place now
      attach(pair_number, limit, left_bytes);
    } else {
      ++place;
    }
  }
}

/// A near pair's bottleneck changes sides.
void star::state::flip(std::uint32_t number, std::uint32_t place) {
  ++flips;
  std::uint32_t from = number, to = ports_[number].neighbours[place].other;
  std::uint32_t place_from = place, place_to = ports_[number].neighbours[place].place;
  if (!ports_[number].neighbours[place].attached) {
    std::swap(from, to);
    std::swap(place_from, place_to);
  }
  neighbour& left = ports_[from].neighbours[place_from];
  neighbour& joined = ports_[to].neighbours[place_to];
  joined.end = clock_now(to) + (left.end - clock_now(from));
  joined.attached = true;
  left.end = infinity;
  left.attached = false;
  if (ports_[from].first == place_from) forget_first(from);
  may_end_first(to, place_to);
}

/// A far pair's threshold has been passed.
void star::state::recheck(std::uint32_t number) {
  pair& p = pairs_[number];
  double const here = share_of(p, p.limit), there = share_of(p, other(p.limit));
  ++looks;
  if (there > becomes_near * here) {
    double const threshold = std::midpoint(here, there);
    port_of(p, p.limit).rising.rekey(p.in_rising, threshold, rising_placed());
    port_of(p, other(p.limit)).falling.rekey(p.in_falling, -threshold, falling_placed());
    return;
  }
  double const left_bytes = end_of(p) - clock_now(port_number(p, p.limit));
  bool const flips_too = there < here;
  if (flips_too) ++flips;
  touch(port_number(p, p.limit));
  detach(p);
  attach(number, flips_too ? other(p.limit) : p.limit, left_bytes);
}

/// The pair goes on by the clock of its port on this side, which does not have the larger share.
void star::state::attach(std::uint32_t number, side s, double left_bytes) {
  pair& p = pairs_[number];
  std::uint32_t const here = port_number(p, s), there = port_number(p, other(s));
  double const end = clock_now(here) + left_bytes;
  p.far = shares_[there] > becomes_far * shares_[here];
  if (p.far) {
    double const threshold = std::midpoint(shares_[here], shares_[there]);
    p.limit = s;
    touch(here).ends.push({end, number}, end_placed());
    ports_[here].rising.push({threshold, number}, rising_placed());
    ports_[there].falling.push({-threshold, number}, falling_placed());
    return;
  }
  auto const place_here = static_cast<std::uint32_t>(ports_[here].neighbours.size());
  auto const place_there = static_cast<std::uint32_t>(ports_[there].neighbours.size());
  ports_[here].neighbours.push_back({end, there, place_there, number, true});
  ports_[there].neighbours.push_back({infinity, here, place_here, number, false});
  p.place = s == out ? place_here : place_there;
  may_end_first(here, place_here);
}

void star::state::detach(pair const& p) {
  if (p.far) {
    port& here = port_of(p, p.limit);
    here.ends.erase(p.in_ends, end_placed());
    here.rising.erase(p.in_rising, rising_placed());
    port_of(p, other(p.limit)).falling.erase(p.in_falling, falling_placed());
    return;
  }
  std::uint32_t const place_in = port_of(p, out).neighbours[p.place].place;
  remove_neighbour(port_number(p, out), p.place);
  remove_neighbour(port_number(p, in), place_in);
}

side star::state::limit_of(pair const& p) const {
  if (p.far) return p.limit;
  return ports_[port_number(p, out)].neighbours[p.place].attached ? out : in;
}

/// Of the pair's first transfer, on the clock of the port that the pair is attached to.
double star::state::end_of(pair const& p) const {
  if (p.far) return ports_[port_number(p, p.limit)].ends[p.in_ends].key;
  neighbour const& n = ports_[port_number(p, out)].neighbours[p.place];
  return n.attached ? n.end : ports_[n.other].neighbours[n.place].end;
}

/// Of a port that has been touched.
void star::state::set_end(pair const& p, double end) {
  if (p.far) {
    port_of(p, p.limit).ends.rekey(p.in_ends, end, end_placed());
    return;
  }
  neighbour const& n = port_of(p, out).neighbours[p.place];
  std::uint32_t const number = n.attached ? port_number(p, out) : n.other;
  std::uint32_t const place = n.attached ? p.place : n.place;
  ports_[number].neighbours[place].end = end;
  if (ports_[number].first == place) {
    forget_first(number);
  } else {
    may_end_first(number, place);
  }
}

/// The last one takes its place.
void star::state::remove_neighbour(std::uint32_t number, std::uint32_t place) {
  port& p = ports_[number];
  if (p.first == place) forget_first(number);
  auto const last = static_cast<std::uint32_t>(p.neighbours.size() - 1);
  if (place != last) {
    neighbour const& moved = p.neighbours[place] = p.neighbours[last];
    ports_[moved.other].neighbours[moved.place].place = place;
    if (number % 2 == 0) pairs_[moved.pair].place = place;
    if (p.first == last) p.first = place;
  }
  p.neighbours.pop_back();
}

void star::state::may_end_first(std::uint32_t number, std::uint32_t place) {
  port& p = ports_[number];
  if (!p.first_known || (p.first != none && p.neighbours[p.first].end <= p.neighbours[place].end)) return;
  p.first = place;
  touch(number);
}

void star::state::forget_first(std::uint32_t number) {
  port& p = touch(number);
  p.first = none;
  p.first_known = false;
}

void star::state::find_first(port& p) {
  p.first_known = true;
  looks += p.neighbours.size();
  double least = infinity;
  for (std::uint32_t place = 0; place < p.neighbours.size(); ++place) {
    if (p.neighbours[place].end >= least) continue;
    least = p.neighbours[place].end;
    p.first = place;
  }
}

/// The port takes its place among the ports by the time of its first end.
void star::state::set_next_end(std::uint32_t number) {
  port& p = ports_[number];
  if (!p.first_known) find_first(p);
  double const end = std::min(first_near_end(p), first_far_end(p));
  if (end == infinity) {
    if (p.position != none) next_ends_.erase(std::exchange(p.position, none), port_placed());
    return;
  }
  double const time_s = p.clock_s + std::max(end - p.clock, 0.0) / shares_[number];
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
std::uint64_t star::looks() const { return state_->looks; }

}  // namespace ovlp::net
