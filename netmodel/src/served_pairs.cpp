// SPDX-License-Identifier: BSD-3-Clause
#include "served_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ovlp/support/expects.hpp>

namespace ovlp::net {

namespace {

using support::require;

}  // namespace

served_pairs::served_pairs(std::vector<star_link> const& links, double latency_s)
    : touched(links.size()),
      nodes_(static_cast<std::uint32_t>(links.size())),
      latency_s_(latency_s),
      changed_ports_(2 * links.size()) {
  require(std::isfinite(latency_s) && latency_s >= 0, "star: a latency is finite and not negative");
  require(links.size() < none / 4, "star: too many nodes");
  ports_.reserve(2 * links.size());
  for (star_link const& link : links) {
    for (double const bandwidth : {link.out_Bps, link.in_Bps}) {
      require(std::isfinite(bandwidth) && bandwidth > 0, "star: a bandwidth is finite and more than 0");
      ports_.emplace_back().bandwidth = bandwidth;
    }
  }
  shares_.resize(ports_.size());
}

void served_pairs::start(transfer const& started, double now_s) {
  require(now_s < infinity && now_s >= now_s_ && now_s >= last_start_s_, "star: a transfer starts in the past");
  require(started.source < nodes_ && started.destination < nodes_, "star: no such node");
  require(started.source != started.destination, "star: a transfer from a node to itself");
  last_start_s_ = now_s;
  double const ready_s = now_s + latency_s_;
  starting_.push(ready_s, started);
  next_s_ = std::min(next_s_, ready_s);
}

std::span<completion const> served_pairs::advance(double to_s) {
  require(to_s < infinity && to_s >= now_s_, "star: time goes on, and is finite");
  completions_.clear();
  while (next_s_ <= to_s) {
    now_s_ = next_s_;
    do {
      next_ends_.find_up_to(now_s_, ending_);
      for (std::size_t const position : ending_) end_first_of(next_ends_[position].number);
      while (starting_.first_ready_s() <= now_s_) begin(starting_.pop(), sequence_++);
      end_instant();
    } while (next_s_ <= now_s_);  // what is too short for the resolution of time
    completions_.end_instant(now_s_);
  }
  now_s_ = to_s;
  return completions_.all();
}

/// A latency phase has ended.
void served_pairs::begin(transfer const& ready, std::uint64_t sequence) {
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
void served_pairs::add(pair& p, flow const& begun) {
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
void served_pairs::end_first_of(std::uint32_t number) {
  port& p = ports_[number];
  if (p.dry_s <= now_s_) {
    run_dry(number);
    if (first_end_s(number) > now_s_) return;
  }
  double const near_end = first_near_end(p);
  // Rounding may have left the clock just before the end for which the time was computed.
  double const reached = std::max(clock_now(number), std::min(near_end, first_far_end(p)));
  while (!p.far_ends.empty() && p.far_ends.top().key <= reached) end_first_transfer(p.far_ends.top().number);
  if (near_end <= reached) end_near(number, reached);
}

/// Finds which one ends next as it goes.
void served_pairs::end_near(std::uint32_t number, double reached) {
  port& p = ports_[number];
  forget_first(number);
  looks += p.near;
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

void served_pairs::end_first_transfer(std::uint32_t number) {
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
port& served_pairs::change(std::uint32_t number) {
  changed_ports_.insert(number);
  return ports_[number];
}

/// The end of an instant.
void served_pairs::end_instant() {
  share_out();
  for (std::uint32_t const number : new_pairs_) settle(number);
  new_pairs_.clear();
  for (std::uint32_t const number : changed_ports_.members()) set_next_end(number);
  changed_ports_.clear();
  next_s_ = starting_.first_ready_s();
  if (!next_ends_.empty()) next_s_ = std::min(next_s_, next_ends_.top().key);
}

/// A near pair's bottleneck changes sides.
void served_pairs::flip(std::uint32_t number, std::uint32_t place) {
  ++flips;
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
void served_pairs::settle(std::uint32_t number) {
  pair& p = pairs_[number];
  double const published_out = port_of(p, out).published, published_in = port_of(p, in).published;
  bool const far = std::max(published_out, published_in) > departs * departs * std::min(published_out, published_in);
  side const from = limit_of(p);
  side const to = share_of(p, other(from)) < share_of(p, from) ? other(from) : from;
  if (p.attached && far == p.far && from == to) return;
  double left_bytes = p.first.key;
  if (p.attached) {
    left_bytes = end_of(p) - clock_now(port_number(p, from));
    if (from != to) ++flips;
    detach(p);
  }
  if (far != p.far) move_among_others(p, far);
  attach(number, to, left_bytes);
}

void served_pairs::attach(std::uint32_t number, side s, double left_bytes) {
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

void served_pairs::detach(pair const& p) {
  side const limit = limit_of(p);
  if (p.far) {
    change(port_number(p, limit)).far_ends.erase(p.in_far_ends, far_end_placed());
  } else {
    detach_near(port_number(p, limit), place_at(p, limit));
  }
}

void served_pairs::attach_near(std::uint32_t number, std::uint32_t place, double end) {
  ports_[number].members[place].end = end;
  ports_[number].opposites[place].attached = 1;
  may_end_first(number, place);
}

void served_pairs::detach_near(std::uint32_t number, std::uint32_t place) {
  ports_[number].members[place].end = infinity;
  ports_[number].opposites[place].attached = 0;
  if (ports_[number].first == place) forget_first(number);
}

/// The side of the port that the pair is attached to. A new one's is out.
side served_pairs::limit_of(pair const& p) const {
  if (p.far) return p.limit;
  return ports_[p.port_out].opposites[p.place].attached ? out : in;
}

/// Of the pair's first transfer, on the clock of the port that the pair is attached to.
double served_pairs::end_of(pair const& p) const {
  side const limit = limit_of(p);
  port const& here = ports_[port_number(p, limit)];
  return p.far ? here.far_ends[p.in_far_ends].key : here.members[place_at(p, limit)].end;
}

/// At a port that changes.
void served_pairs::set_end(pair const& p, double end) {
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
std::uint32_t served_pairs::find_pair(std::uint32_t port_out, std::uint32_t port_in) const {
  bool const look_out = ports_[port_out].members.size() < ports_[port_in].members.size();
  port const& p = ports_[look_out ? port_out : port_in];
  std::uint32_t const opposite_port = look_out ? port_in : port_out;
  for (std::size_t place = 0; place < p.opposites.size(); ++place) {
    if (p.opposites[place].port == opposite_port) return p.members[place].pair;
  }
  return none;
}

std::uint32_t served_pairs::new_pair(std::uint32_t port_out, std::uint32_t port_in) {
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
void served_pairs::remove_pair(std::uint32_t number) {
  pair const& p = pairs_[number];
  detach(p);
  std::uint32_t const place_in = place_at(p, in);
  remove(p.port_out, p.place);
  remove(p.port_in, place_in);
  unused_pairs_.push_back(number);
}

opposite& served_pairs::opposite_at(pair const& p, side s) { return port_of(p, s).opposites[place_at(p, s)]; }

std::uint32_t served_pairs::place_at(pair const& p, side s) const {
  return s == out ? p.place : ports_[p.port_out].members[p.place].place;
}

/// From the near pairs of its ports to the far ones, or back.
void served_pairs::move_among_others(pair& p, bool far) {
  p.far = far;
  for (side const s : {out, in}) {
    port& at = port_of(p, s);
    std::uint32_t const border = far ? --at.near : at.near++;
    swap(port_number(p, s), place_at(p, s), border);
  }
}

void served_pairs::swap(std::uint32_t number, std::uint32_t a, std::uint32_t b) {
  if (a == b) return;
  port& p = ports_[number];
  std::swap(p.opposites[a], p.opposites[b]);
  std::swap(p.members[a], p.members[b]);
  tell_place(number, a);
  tell_place(number, b);
  if (p.first == a || p.first == b) p.first = p.first == a ? b : a;
}

/// The last one takes its place; for a near one, the last near one, whose place the last one takes.
void served_pairs::remove(std::uint32_t number, std::uint32_t place) {
  port& p = ports_[number];
  if (place < p.near) {
    move(number, --p.near, place);
    place = p.near;
  }
  move(number, static_cast<std::uint32_t>(p.members.size() - 1), place);
  p.opposites.pop_back();
  p.members.pop_back();
}

void served_pairs::move(std::uint32_t number, std::uint32_t from, std::uint32_t to) {
  if (from == to) return;
  port& p = ports_[number];
  p.opposites[to] = p.opposites[from];
  p.members[to] = p.members[from];
  tell_place(number, to);
  if (p.first == from) p.first = to;
}

/// What is at this place of the port has come there.
void served_pairs::tell_place(std::uint32_t number, std::uint32_t place) {
  port const& p = ports_[number];
  member const& moved = p.members[place];
  ports_[p.opposites[place].port].members[moved.place].place = place;
  if (number % 2 == 0) pairs_[moved.pair].place = place;
}

void served_pairs::may_end_first(std::uint32_t number, std::uint32_t place) {
  port& p = ports_[number];
  if (!p.first_known || (p.first != none && p.members[p.first].end <= p.members[place].end)) return;
  p.first = place;
  change(number);
}

void served_pairs::forget_first(std::uint32_t number) {
  port& p = change(number);
  p.first = none;
  p.first_known = false;
}

void served_pairs::find_first(port& p) {
  p.first_known = true;
  looks += p.near;
  double least = infinity;
  for (std::uint32_t place = 0; place < p.near; ++place) {
    if (p.members[place].end >= least) continue;
    least = p.members[place].end;
    p.first = place;
  }
}

/// By the shares of now.
double served_pairs::first_end_s(std::uint32_t number) const {
  port const& p = ports_[number];
  if (p.first == none && p.far_ends.empty()) return infinity;
  double const end = std::min(first_near_end(p), first_far_end(p));
  return p.clock_s + std::max(end - p.clock, 0.0) / shares_[number];
}

/// The port takes its place among the ports by the time of its first end.
void served_pairs::set_next_end(std::uint32_t number) {
  port& p = ports_[number];
  if (!p.first_known) find_first(p);
  double const next_s = std::min(first_end_s(number), p.dry_s);
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
