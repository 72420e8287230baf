// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/node_link.hpp>

#include <ovlp/base/expects.hpp>
#include <ovlp/base/heap.hpp>

#include "node_set.hpp"
#include "phases.hpp"

namespace ovlp::net {

constexpr std::uint32_t none = 0xffffffff;

/// How far a share may depart from the published one. Pairs whose published shares differ by its square are far.
constexpr double departs = 2;

/// An entry of a heap of pairs or of ports.
struct entry {
  double key;
  std::uint32_t number;
  bool operator<(entry const& e) const { return key < e.key; }
};

/// A transfer in its bandwidth phase.
struct flow {
  double key;  // where the pair's clock stands when it ends
  std::uint64_t sequence;
  std::uint64_t id;
  bool operator<(flow const& f) const { return key < f.key; }
};

inline side other(side s) { return s == out ? in : out; }

/// What a port must see of a pair at each change of its share: there may be many.
struct opposite {
  std::uint32_t port;
  std::uint32_t transfers : 31 = 1;  // of the pair
  std::uint32_t attached : 1 = 0;    // a near pair, here
};

/// The rest of what a port has of a pair.
struct member {
  double end;           // of a near pair's first transfer on this port's clock; never, unless it is attached here
  std::uint32_t place;  // at the other port
  std::uint32_t pair;
};

/// One direction of a node's link. Its share is kept apart.
struct port {
  double bandwidth = 0;  // in bytes per second
  double clock = 0;      // bytes served to each transfer, as of clock_s
  double clock_s = 0;
  double published = 0;           // share
  std::uint32_t transfers = 0;    // in their bandwidth phase
  std::uint32_t near = 0;         // so many of its pairs are near
  std::uint32_t first = none;     // of the near pairs attached here, the one that ends first
  bool first_known = true;        // else it has to be searched
  bool publishes = false;         // in this instant
  std::uint32_t position = none;  // among the ports by the time of their first end
  double changes_s = infinity;    // when its bandwidth will change by itself; infinity while it is idle
  // Its pairs, near ones first.
  std::vector<opposite> opposites;
  std::vector<member> members;
  base::heap<entry> far_ends;  // attached far pairs by the port's clock at the pair's first end
};

/// On the port's clock.
inline double first_near_end(port const& p) {
  if (p.first == none) return infinity;
  return p.members[p.first].end;
}
inline double first_far_end(port const& p) {
  if (p.far_ends.empty()) return infinity;
  return p.far_ends.top().key;
}

/// The transfers from one node to another.
struct pair {
  std::uint32_t port_out = none;
  std::uint32_t port_in = none;
  std::uint32_t place = none;  // among the pairs of its port out
  bool attached = false;       // else it is new, in the lists with the far ones
  bool far = true;
  side limit = out;                  // of a far one: the side that it is attached to
  std::uint32_t in_far_ends = none;  // of a far one, there
  flow first;                        // the one that ends first
  base::heap<flow> others;           // by what the pair's own clock says at their ends
};

/// The transfers of a star of nodes, served by the ports of these: whatever shares these give.
///
/// How it is computed. Each node has two ports, one out and one in. A port gives each of the transfers that it limits
/// the same share, and keeps one service clock: the bytes that it has served, or would have, to each of them since it
/// was last idle. A transfer whose bottleneck is this port ends when that clock reaches (clock at its begin + its
/// bytes). So when a share changes nothing but the clock's speed does, and the next end of the whole network is the
/// first of the ports' first ends, which are kept in a heap.
///
/// The transfers of a pair of nodes have the same bottleneck at all times, the port with the smaller share. The pair is
/// attached to that port, whose clock tells when its first transfer ends. When the bottleneck changes sides, the pair
/// flips: what is left of that transfer then goes by the other port's clock. With equal shares a pair stays where it
/// is, which ends all doubt about rounding.
///
/// A port has all its pairs in one list, *near* ones first: those whose bottleneck may change with any share. Ends of
/// near pairs are searched, which makes flips cheap; those of far pairs are in a heap. Which pairs are far is told by
/// the *published* shares of their ports, which differ by more than a factor of four.
///
/// Whatever ends and begins at one instant is applied before shares are set.
///
/// `Shares` is the derived class, which sets them. It has
///
///     void share_out();                                   // sets shares_ by changed_ports_; flips pairs
///     void bandwidth_changes(std::uint32_t port_number);  // the moment port::changes_s has come
///
/// so that the compiler sees a whole solver: with calls through virtual functions, and a unit of its own, a simulation
/// of LU executes 5 % more instructions.
template <class Shares>
class served_pairs : public phased_network {
 public:
  served_pairs(std::vector<node_link> const& links, double latency_s);

  void start(transfer const& started, double now_s) final;
  double next_event() const final { return next_s_; }
  std::span<completion const> advance(double to_s) final;
  double latency_s(std::uint32_t source, std::uint32_t destination) const final;
  std::uint32_t incoming(std::uint32_t node) const final { return transfers(node, in); }
  std::uint32_t outgoing(std::uint32_t node) const final { return transfers(node, out); }
  solver_counts counts() const final { return counts_; }

 private:
  friend Shares;

  std::uint32_t transfers(std::uint32_t node, side s) const {
    check_node(node);
    return ports_[2 * node + s].transfers;
  }
  static std::uint32_t port_number(pair const& p, side s) { return s == out ? p.port_out : p.port_in; }
  port& port_of(pair const& p, side s) { return ports_[port_number(p, s)]; }
  port const& port_of(pair const& p, side s) const { return ports_[port_number(p, s)]; }
  double share_of(pair const& p, side s) const { return shares_[port_number(p, s)]; }
  double clock_now(std::uint32_t number) const {
    return ports_[number].clock + shares_[number] * (now_s_ - ports_[number].clock_s);
  }

  bool is_unsteady() const { return !unsteady_links_.empty(); }
  void set_bandwidth(std::uint32_t port_number);
  /// Of a link that changes: what its factor is applied to.
  static double steady_bandwidth(node_link const& l, std::uint32_t port_number) {
    return port_number % 2 == out ? l.out_Bps : l.in_Bps;
  }

  void begin(started_transfer const& ready);
  void add(pair& p, flow const& begun);
  void end_first_of(std::uint32_t port_number);
  void end_near(std::uint32_t port_number, double reached);
  void end_first_transfer(std::uint32_t pair_number);
  port& change(std::uint32_t port_number);

  void end_instant();
  void flip(std::uint32_t port_number, std::uint32_t place);
  void attach_to_bottleneck(std::uint32_t pair_number);
  void attach(std::uint32_t pair_number, side s, double left_bytes);
  void detach(pair const& p);
  void attach_near(std::uint32_t port_number, std::uint32_t place, double end);
  void detach_near(std::uint32_t port_number, std::uint32_t place);
  side limit_of(pair const& p) const;
  double end_of(pair const& p) const;
  void set_end(pair const& p, double end);

  std::uint32_t find_pair(std::uint32_t port_out, std::uint32_t port_in) const;
  std::uint32_t new_pair(std::uint32_t port_out, std::uint32_t port_in);
  void remove_pair(std::uint32_t pair_number);
  opposite& opposite_at(pair const& p, side s);
  std::uint32_t place_at(pair const& p, side s) const;
  void move_among_others(pair& p, bool far);
  void swap(std::uint32_t port_number, std::uint32_t place, std::uint32_t with);
  void move(std::uint32_t port_number, std::uint32_t from, std::uint32_t to);
  void tell_place(std::uint32_t port_number, std::uint32_t place);
  void remove(std::uint32_t port_number, std::uint32_t place);

  void may_end_first(std::uint32_t port_number, std::uint32_t place);
  void forget_first(std::uint32_t port_number);
  void find_first(port& p);
  double first_end_s(std::uint32_t port_number) const;
  void set_next_end(std::uint32_t port_number);

  // What heaps tell: where their entries are.
  auto far_end_placed() {
    return [this](entry const& e, std::size_t at) { place(pairs_[e.number].in_far_ends, at); };
  }
  auto port_placed() {
    return [this](entry const& e, std::size_t at) { place(ports_[e.number].position, at); };
  }
  auto flow_placed() {
    return [this](flow const&, std::size_t) { ++counts_.moves; };
  }
  void place(std::uint32_t& position, std::size_t at) {
    position = static_cast<std::uint32_t>(at);
    ++counts_.moves;
  }

  double next_s_ = infinity;  // event

  std::vector<port> ports_;                // out of node 0, into node 0, out of node 1, ...
  std::vector<double> shares_;             // by port: of each transfer, in bytes per second; 0 when idle
  std::vector<double> link_latencies_s_;   // by node; none: 0 for all
  std::vector<node_link> unsteady_links_;  // by node; none: all bandwidths stay
  base::heap<entry> next_ends_;            // ports by the time of their first end
  std::vector<pair> pairs_;
  std::vector<std::uint32_t> unused_pairs_;

  // Of the instant in work.
  std::vector<std::size_t> ending_;  // places in next_ends_
  node_set changed_ports_;           // their transfers or their first end
  std::vector<std::uint32_t> new_pairs_;

  solver_counts counts_;
};

template <class Shares>
served_pairs<Shares>::served_pairs(std::vector<node_link> const& links, double latency_s)
    : phased_network(links, latency_s), changed_ports_(2 * links.size()) {
  base::require(links.size() < none / 4, "star: too many nodes");
  ports_.reserve(2 * links.size());
  for (node_link const& l : links) {
    ports_.emplace_back().bandwidth = l.out_Bps;
    ports_.emplace_back().bandwidth = l.in_Bps;
  }
  shares_.resize(ports_.size());
  if (std::ranges::any_of(links, [](node_link const& l) { return l.latency_s > 0; })) {
    for (node_link const& l : links) link_latencies_s_.push_back(l.latency_s);
  }
  if (std::ranges::any_of(links, [](node_link const& l) { return l.over_time != nullptr; })) unsteady_links_ = links;
}

template <class Shares>
void served_pairs<Shares>::start(transfer const& started, double now_s) {
  phased_network::start(started, now_s);
  next_s_ = std::min(next_s_, starting_.first_ready_s());
}

template <class Shares>
std::span<completion const> served_pairs<Shares>::advance(double to_s) {
  check_time(to_s);
  completions_.clear();
  while (next_s_ <= to_s) {
    now_s_ = next_s_;
    do {
      next_ends_.find_up_to(now_s_ + rounding_s(now_s_), ending_);
      for (std::size_t const position : ending_) end_first_of(next_ends_[position].number);
      while (starting_.first_ready_s() <= now_s_) begin(starting_.pop());
      end_instant();
    } while (next_s_ <= now_s_);  // what is too short for the resolution of time
    completions_.end_instant(now_s_);
  }
  now_s_ = to_s;
  return completions_.all();
}

template <class Shares>
double served_pairs<Shares>::latency_s(std::uint32_t source, std::uint32_t destination) const {
  if (link_latencies_s_.empty()) return latency_s_;
  return latency_s_ + link_latencies_s_[source] + link_latencies_s_[destination];
}

/// Of a port whose share is about to be set.
template <class Shares>
void served_pairs<Shares>::set_bandwidth(std::uint32_t number) {
  node_link const& l = unsteady_links_[number / 2];
  if (l.over_time == nullptr) return;
  port& p = ports_[number];
  p.bandwidth = steady_bandwidth(l, number) * l.over_time->at(now_s_);
  p.changes_s = p.transfers > 0 ? l.over_time->next_change_s(now_s_) : infinity;
}

/// A latency phase has ended.
template <class Shares>
void served_pairs<Shares>::begin(started_transfer const& begun) {
  auto const& [ready, sequence] = begun;
  if (ready.bytes == 0) {
    completions_.add(sequence, ready.id);
    return;
  }
  std::uint32_t const port_out = 2 * ready.source, port_in = 2 * ready.destination + 1;
  std::uint32_t number = find_pair(port_out, port_in);
  auto const bytes = static_cast<double>(ready.bytes);
  if (number == none) {
    number = new_pair(port_out, port_in);
    pairs_[number].first = {bytes, sequence, ready.id};  // its own clock stands at zero until it is attached
  } else {
    add(pairs_[number], {bytes, sequence, ready.id});
  }
  ++change(port_out).transfers;
  ++change(port_in).transfers;
}

/// One more transfer of a pair, with what it has left as its key.
template <class Shares>
void served_pairs<Shares>::add(pair& p, flow const& begun) {
  flow added = begun;
  // How far the pair's own clock is ahead of its port's.
  double const ahead = p.attached ? p.first.key - end_of(p) : 0;
  if (p.attached) added.key += clock_now(port_number(p, limit_of(p))) + ahead;
  if (added.key < p.first.key) {
    std::swap(added, p.first);
    if (p.attached) set_end(p, p.first.key - ahead);
  }
  p.others.push(added, flow_placed());
  ++opposite_at(p, out).transfers;
  ++opposite_at(p, in).transfers;
}

/// What ends first at a port ends now.
template <class Shares>
void served_pairs<Shares>::end_first_of(std::uint32_t number) {
  port& p = ports_[number];
  double const up_to_s = now_s_ + rounding_s(now_s_);
  if (p.changes_s <= up_to_s) {
    static_cast<Shares*>(this)->bandwidth_changes(number);
    if (first_end_s(number) > up_to_s) return;
  }
  double const near_end = first_near_end(p);
  // Rounding may have left the clock just before the end for which the time was computed.
  double const reached =
      std::max(clock_now(number) + shares_[number] * rounding_s(now_s_), std::min(near_end, first_far_end(p)));
  while (!p.far_ends.empty() && p.far_ends.top().key <= reached) end_first_transfer(p.far_ends.top().number);
  if (near_end <= reached) end_near(number, reached);
}

/// Finds which one ends next as it goes.
template <class Shares>
void served_pairs<Shares>::end_near(std::uint32_t number, double reached) {
  port& p = ports_[number];
  forget_first(number);
  counts_.looks += p.near;
  double least = infinity;
  std::uint32_t first = none;
  for (std::uint32_t place = 0; place < p.near;) {
    double const end = p.members[place].end;
    if (end <= reached) {
      end_first_transfer(p.members[place].pair);  // another pair is here now, or this one ends later
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

template <class Shares>
void served_pairs<Shares>::end_first_transfer(std::uint32_t number) {
  pair& p = pairs_[number];
  completions_.add(p.first.sequence, p.first.id);
  --change(p.port_out).transfers;
  --change(p.port_in).transfers;
  if (p.others.empty()) {
    remove_pair(number);
    return;
  }
  double const ahead = p.first.key - end_of(p);
  p.first = p.others.top();
  p.others.erase(0, flow_placed());
  --opposite_at(p, out).transfers;
  --opposite_at(p, in).transfers;
  set_end(p, p.first.key - ahead);
}

/// set_shares() will look at the port.
template <class Shares>
port& served_pairs<Shares>::change(std::uint32_t number) {
  changed_ports_.insert(number);
  return ports_[number];
}

/// The end of an instant.
template <class Shares>
void served_pairs<Shares>::end_instant() {
  static_cast<Shares*>(this)->share_out();
  for (std::uint32_t const number : new_pairs_) attach_to_bottleneck(number);
  new_pairs_.clear();
  for (std::uint32_t const number : changed_ports_.members()) set_next_end(number);
  changed_ports_.clear();
  next_s_ = starting_.first_ready_s();
  if (!next_ends_.empty()) next_s_ = std::min(next_s_, next_ends_.top().key);
}

/// A near pair's bottleneck changes sides.
template <class Shares>
void served_pairs<Shares>::flip(std::uint32_t number, std::uint32_t place) {
  ++counts_.flips;
  std::uint32_t from = number, to = ports_[number].opposites[place].port;
  std::uint32_t place_from = place, place_to = ports_[number].members[place].place;
  if (!ports_[number].opposites[place].attached) {
    std::swap(from, to);
    std::swap(place_from, place_to);
  }
  double const left_bytes = ports_[from].members[place_from].end - clock_now(from);
  detach_near(from, place_from);
  attach_near(to, place_to, clock_now(to) + left_bytes);
}

/// Attaches the pair to the port with the smaller share, as a near or a far one. It may be new, and stay as it is.
template <class Shares>
void served_pairs<Shares>::attach_to_bottleneck(std::uint32_t number) {
  pair& p = pairs_[number];
  double const published_out = port_of(p, out).published, published_in = port_of(p, in).published;
  bool const far = std::max(published_out, published_in) > departs * departs * std::min(published_out, published_in);
  side const from = limit_of(p);
  side const to = share_of(p, other(from)) < share_of(p, from) ? other(from) : from;
  if (p.attached && far == p.far && from == to) return;
  double left_bytes = p.first.key;
  if (p.attached) {
    left_bytes = end_of(p) - clock_now(port_number(p, from));
    if (from != to) ++counts_.flips;
    detach(p);
  }
  if (far != p.far) move_among_others(p, far);
  attach(number, to, left_bytes);
}

template <class Shares>
void served_pairs<Shares>::attach(std::uint32_t number, side s, double left_bytes) {
  pair& p = pairs_[number];
  std::uint32_t const here = port_number(p, s);
  double const end = clock_now(here) + left_bytes;
  p.attached = true;
  if (p.far) {
    p.limit = s;
    change(here).far_ends.push({end, number}, far_end_placed());
  } else {
    attach_near(here, place_at(p, s), end);
  }
}

template <class Shares>
void served_pairs<Shares>::detach(pair const& p) {
  side const limit = limit_of(p);
  if (p.far) {
    change(port_number(p, limit)).far_ends.erase(p.in_far_ends, far_end_placed());
  } else {
    detach_near(port_number(p, limit), place_at(p, limit));
  }
}

template <class Shares>
void served_pairs<Shares>::attach_near(std::uint32_t number, std::uint32_t place, double end) {
  ports_[number].members[place].end = end;
  ports_[number].opposites[place].attached = 1;
  may_end_first(number, place);
}

template <class Shares>
void served_pairs<Shares>::detach_near(std::uint32_t number, std::uint32_t place) {
  ports_[number].members[place].end = infinity;
  ports_[number].opposites[place].attached = 0;
  if (ports_[number].first == place) forget_first(number);
}

/// The side of the port that the pair is attached to. A new one's is out.
template <class Shares>
side served_pairs<Shares>::limit_of(pair const& p) const {
  if (p.far) return p.limit;
  return ports_[p.port_out].opposites[p.place].attached ? out : in;
}

/// Of the pair's first transfer, on the clock of the port that the pair is attached to.
template <class Shares>
double served_pairs<Shares>::end_of(pair const& p) const {
  side const limit = limit_of(p);
  port const& here = ports_[port_number(p, limit)];
  return p.far ? here.far_ends[p.in_far_ends].key : here.members[place_at(p, limit)].end;
}

/// At a port that changes.
template <class Shares>
void served_pairs<Shares>::set_end(pair const& p, double end) {
  side const limit = limit_of(p);
  std::uint32_t const number = port_number(p, limit);
  if (p.far) {
    ports_[number].far_ends.rekey(p.in_far_ends, end, far_end_placed());
    return;
  }
  std::uint32_t const place = place_at(p, limit);
  ports_[number].members[place].end = end;
  if (ports_[number].first == place) {
    forget_first(number);
  } else {
    may_end_first(number, place);
  }
}

/// Looks where there are fewer.
template <class Shares>
std::uint32_t served_pairs<Shares>::find_pair(std::uint32_t port_out, std::uint32_t port_in) const {
  bool const look_out = ports_[port_out].members.size() < ports_[port_in].members.size();
  port const& p = ports_[look_out ? port_out : port_in];
  std::uint32_t const opposite_port = look_out ? port_in : port_out;
  for (std::size_t place = 0; place < p.opposites.size(); ++place) {
    if (p.opposites[place].port == opposite_port) return p.members[place].pair;
  }
  return none;
}

template <class Shares>
std::uint32_t served_pairs<Shares>::new_pair(std::uint32_t port_out, std::uint32_t port_in) {
  if (unused_pairs_.empty()) {
    unused_pairs_.push_back(static_cast<std::uint32_t>(pairs_.size()));
    pairs_.emplace_back();
  }
  std::uint32_t const number = unused_pairs_.back();
  unused_pairs_.pop_back();
  pair& p = pairs_[number];
  p.port_out = port_out;
  p.port_in = port_in;
  p.attached = false;
  p.far = true;
  p.limit = out;
  port& from = ports_[port_out];
  port& to = ports_[port_in];
  p.place = static_cast<std::uint32_t>(from.members.size());
  auto const place_in = static_cast<std::uint32_t>(to.members.size());
  from.opposites.push_back({port_in});
  from.members.push_back({infinity, place_in, number});
  to.opposites.push_back({port_out});
  to.members.push_back({infinity, p.place, number});
  new_pairs_.push_back(number);
  return number;
}

/// Its last transfer has ended.
template <class Shares>
void served_pairs<Shares>::remove_pair(std::uint32_t number) {
  pair const& p = pairs_[number];
  detach(p);
  std::uint32_t const place_in = place_at(p, in);
  remove(p.port_out, p.place);
  remove(p.port_in, place_in);
  unused_pairs_.push_back(number);
}

template <class Shares>
opposite& served_pairs<Shares>::opposite_at(pair const& p, side s) {
  return port_of(p, s).opposites[place_at(p, s)];
}

template <class Shares>
std::uint32_t served_pairs<Shares>::place_at(pair const& p, side s) const {
  return s == out ? p.place : ports_[p.port_out].members[p.place].place;
}

/// From the near pairs of its ports to the far ones, or back.
template <class Shares>
void served_pairs<Shares>::move_among_others(pair& p, bool far) {
  p.far = far;
  for (side const s : {out, in}) {
    port& at = port_of(p, s);
    std::uint32_t const border = far ? --at.near : at.near++;
    swap(port_number(p, s), place_at(p, s), border);
  }
}

template <class Shares>
void served_pairs<Shares>::swap(std::uint32_t number, std::uint32_t a, std::uint32_t b) {
  if (a == b) return;
  port& p = ports_[number];
  std::swap(p.opposites[a], p.opposites[b]);
  std::swap(p.members[a], p.members[b]);
  tell_place(number, a);
  tell_place(number, b);
  if (p.first == a || p.first == b) p.first = p.first == a ? b : a;
}

/// The last one takes its place; for a near one, the last near one, whose place the last one takes.
template <class Shares>
void served_pairs<Shares>::remove(std::uint32_t number, std::uint32_t place) {
  port& p = ports_[number];
  if (place < p.near) {
    move(number, --p.near, place);
    place = p.near;
  }
  move(number, static_cast<std::uint32_t>(p.members.size() - 1), place);
  p.opposites.pop_back();
  p.members.pop_back();
}

template <class Shares>
void served_pairs<Shares>::move(std::uint32_t number, std::uint32_t from, std::uint32_t to) {
  if (from == to) return;
  port& p = ports_[number];
  p.opposites[to] = p.opposites[from];
  p.members[to] = p.members[from];
  tell_place(number, to);
  if (p.first == from) p.first = to;
}

/// What is at this place of the port has come there.
template <class Shares>
void served_pairs<Shares>::tell_place(std::uint32_t number, std::uint32_t place) {
  port const& p = ports_[number];
  member const& moved = p.members[place];
  ports_[p.opposites[place].port].members[moved.place].place = place;
  if (number % 2 == 0) pairs_[moved.pair].place = place;
}

template <class Shares>
void served_pairs<Shares>::may_end_first(std::uint32_t number, std::uint32_t place) {
  port& p = ports_[number];
  if (!p.first_known || (p.first != none && p.members[p.first].end <= p.members[place].end)) return;
  p.first = place;
  change(number);
}

template <class Shares>
void served_pairs<Shares>::forget_first(std::uint32_t number) {
  port& p = change(number);
  p.first = none;
  p.first_known = false;
}

template <class Shares>
void served_pairs<Shares>::find_first(port& p) {
  p.first_known = true;
  counts_.looks += p.near;
  double least = infinity;
  for (std::uint32_t place = 0; place < p.near; ++place) {
    if (p.members[place].end >= least) continue;
    least = p.members[place].end;
    p.first = place;
  }
}

/// By the shares of now.
template <class Shares>
double served_pairs<Shares>::first_end_s(std::uint32_t number) const {
  port const& p = ports_[number];
  if (p.first == none && p.far_ends.empty()) return infinity;
  double const end = std::min(first_near_end(p), first_far_end(p));
  return p.clock_s + std::max(end - p.clock, 0.0) / shares_[number];
}

/// The port takes its place among the ports by the time of its first end.
template <class Shares>
void served_pairs<Shares>::set_next_end(std::uint32_t number) {
  port& p = ports_[number];
  if (!p.first_known) find_first(p);
  double const next_s = std::min(first_end_s(number), p.changes_s);
  if (next_s == infinity) {
    if (p.position != none) next_ends_.erase(std::exchange(p.position, none), port_placed());
    return;
  }
  double const time_s = std::max(next_s, now_s_);  // rounding must not go back
  if (p.position == none) {
    next_ends_.push({time_s, number}, port_placed());
  } else {
    next_ends_.rekey(p.position, time_s, port_placed());
  }
}

}  // namespace ovlp::net
