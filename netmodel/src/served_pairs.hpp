// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/netmodel/star.hpp>

#include <ovlp/support/expects.hpp>

#include "heap.hpp"
#include "node_set.hpp"
#include "phases.hpp"

namespace ovlp::net {

constexpr std::uint32_t none = 0xffffffff;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far a share may depart from the published one. Pairs whose published shares differ by its square are far.
constexpr double departs = 2;

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

enum side : std::uint8_t { out, in };

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
  double dry_s = infinity;        // when its bandwidth will change by itself
  // Its pairs, near ones first.
  std::vector<opposite> opposites;
  std::vector<member> members;
  heap<entry> far_ends;  // attached far pairs by the port's clock at the pair's first end
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
  heap<flow> others;                 // by what the pair's own clock says at their ends
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
class served_pairs {
 public:
  served_pairs(std::vector<star_link> const& links, double latency_s);
  virtual ~served_pairs() = default;
  served_pairs(served_pairs const&) = delete;
  served_pairs& operator=(served_pairs const&) = delete;

  void start(transfer const& started, double now_s);
  double next_event() const { return next_s_; }
  std::span<completion const> advance(double to_s);

  std::uint32_t transfers(std::uint32_t node, side s) const {
    support::require(node < nodes_, "star: no such node");
    return ports_[2 * node + s].transfers;
  }

  node_set touched;
  std::uint64_t flips = 0;
  std::uint64_t looks = 0;
  std::uint64_t moves = 0;

 protected:
  /// Sets the shares that follow from changed_ports_, and flips the pairs whose bottleneck changes sides.
  virtual void share_out() = 0;
  /// The moment dry_s has come.
  virtual void run_dry(std::uint32_t port_number) { static_cast<void>(port_number); }
  static std::uint32_t port_number(pair const& p, side s) { return s == out ? p.port_out : p.port_in; }
  port& port_of(pair const& p, side s) { return ports_[port_number(p, s)]; }
  port const& port_of(pair const& p, side s) const { return ports_[port_number(p, s)]; }
  double share_of(pair const& p, side s) const { return shares_[port_number(p, s)]; }
  double clock_now(std::uint32_t number) const {
    return ports_[number].clock + shares_[number] * (now_s_ - ports_[number].clock_s);
  }

  void begin(transfer const& ready, std::uint64_t sequence);
  void add(pair& p, flow const& begun);
  void end_first_of(std::uint32_t port_number);
  void end_near(std::uint32_t port_number, double reached);
  void end_first_transfer(std::uint32_t pair_number);
  port& change(std::uint32_t port_number);

  void end_instant();
  void flip(std::uint32_t port_number, std::uint32_t place);
  void settle(std::uint32_t pair_number);
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
    return [this](flow const&, std::size_t) { ++moves; };
  }
  void place(std::uint32_t& position, std::size_t at) {
    position = static_cast<std::uint32_t>(at);
    ++moves;
  }

  std::uint32_t nodes_;
  double latency_s_;
  double now_s_ = -infinity;
  double last_start_s_ = -infinity;
  double next_s_ = infinity;    // event
  std::uint64_t sequence_ = 0;  // of the next transfer to begin, in the order of starts

  latency_phase starting_;
  std::vector<port> ports_;     // out of node 0, into node 0, out of node 1, ...
  std::vector<double> shares_;  // by port: of each transfer, in bytes per second; 0 when idle
  heap<entry> next_ends_;       // ports by the time of their first end
  std::vector<pair> pairs_;
  std::vector<std::uint32_t> unused_pairs_;

  // Of the instant in work.
  std::vector<std::size_t> ending_;  // places in next_ends_
  node_set changed_ports_;           // their transfers or their first end
  std::vector<std::uint32_t> new_pairs_;

  completion_list completions_;
};

}  // namespace ovlp::net
