// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid knows routes, which are lists of links, and no switches. Here a link has two ends, and where a route goes
// from one link to the next, the end of the one is the beginning of the other: what is joined so is a host or a switch.
// A link that routes take in both directions does not tell which of its ends is which; it is drawn as a place of its
// own.
#include "topology.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "calls.hpp"

namespace ovlp::net {
namespace {

namespace sg = ::simgrid::s4u;

/// Sets of ends that are at one place.
class places {
 public:
  std::size_t add() {
    parents_.push_back(parents_.size());
    return parents_.size() - 1;
  }
  std::size_t of(std::size_t end) {
    while (parents_[end] != end) end = parents_[end] = parents_[parents_[end]];
    return end;
  }
  void join(std::size_t a, std::size_t b) { parents_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }

 private:
  std::vector<std::size_t> parents_;
};

/// What a route goes through.
struct element {
  std::size_t begin, end;
  bool is_place = false;  ///< a link that routes take in both directions
};

class finder {
 public:
  explicit finder(std::vector<sg::Host*> const& hosts) : hosts_(hosts) {
    for (std::size_t h = 0; h < hosts.size(); ++h) places_.add();
  }

  topology find() {
    each_route([&](std::size_t from, std::size_t to, std::vector<sg::Link*> const& route) {
      for (sg::Link const* l : route) look_at(*l, from < to, std::min(from, to), std::max(from, to));
    });
    join_directions();
    each_route([&](std::size_t from, std::size_t to, std::vector<sg::Link*> const& route) {
      element last{from, from};
      for (sg::Link const* l : route) {
        element const& next = links_.at(l).what;
        join(last, next);
        last = next;
      }
      join(last, {to, to});
    });
    return draw();
  }

 private:
  struct known_link {
    element what;
    std::pair<std::size_t, std::size_t> last_pair;  ///< of hosts, of whose forward route it was part
  };

  template <class Look>
  void each_route(Look const& look) const {
    std::vector<sg::Link*> route;
    for (std::size_t a = 0; a < hosts_.size(); ++a) {
      for (std::size_t b = a + 1; b < hosts_.size(); ++b) {
        for (auto const& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
          route.clear();
          double latency_s = 0;
          call([&, f = from, t = to] { hosts_[f]->route_to(hosts_[t], route, &latency_s); });
          look(from, to, route);
        }
      }
    }
  }

  void look_at(sg::Link const& l, bool forward, std::size_t low, std::size_t high) {
    auto const [found, is_new] = links_.try_emplace(&l);
    known_link& known = found->second;
    if (is_new) {
      known.what = {places_.add(), places_.add()};
      order_.push_back(&l);
    }
    if (forward) known.last_pair = {low + 1, high};
    if (!forward && known.last_pair == std::pair{low + 1, high}) known.what.is_place = true;
  }

  /// The directions of a full-duplex link, of which SimGrid makes two with the names X_UP and X_DOWN.
  void join_directions() {
    std::unordered_map<std::string, element> down;
    for (auto const& [l, known] : links_) {
      std::string const& name = l->get_name();
      if (name.ends_with("_DOWN")) down.emplace(name.substr(0, name.size() - 5), known.what);
    }
    for (auto const& [l, known] : links_) {
      std::string const& name = l->get_name();
      if (!name.ends_with("_UP")) continue;
      auto const back = down.find(name.substr(0, name.size() - 3));
      if (back == down.end()) continue;
      places_.join(known.what.begin, back->second.end);
      places_.join(known.what.end, back->second.begin);
    }
  }

  void join(element const& a, element const& b) {
    if (!a.is_place && !b.is_place) {
      places_.join(a.end, b.begin);
    } else {
      touching_.emplace(a.is_place ? a.begin : a.end, b.begin);
    }
  }

  topology draw() {
    topology drawn;
    for (sg::Host const* h : hosts_) drawn.vertices.push_back({h->get_name(), true});
    std::map<std::size_t, std::size_t> vertices;
    for (std::size_t h = 0; h < hosts_.size(); ++h) vertices.emplace(places_.of(h), h);
    auto const vertex = [&](std::size_t end, std::string const& name = {}) {
      auto const [found, is_new] = vertices.emplace(places_.of(end), drawn.vertices.size());
      if (is_new) drawn.vertices.push_back({name});
      return found->second;
    };
    std::map<std::pair<std::size_t, std::size_t>, topology::connection> all;
    for (sg::Link const* l : order_) {
      element const& what = links_.at(l).what;
      if (what.is_place) {
        drawn.vertices[vertex(what.begin, l->get_name())].cost = {l->get_bandwidth(), l->get_latency()};
        continue;
      }
      std::size_t const from = vertex(what.begin), to = vertex(what.end);
      auto const [found, is_new] = all.try_emplace(
          {from, to}, topology::connection{from, to, topology::link_cost{l->get_bandwidth(), l->get_latency()}, false});
      if (!is_new) ++found->second.parallel;
    }
    std::set<std::pair<std::size_t, std::size_t>> touching;
    for (auto const& [a, b] : touching_) {
      auto const [low, high] = std::minmax({vertex(a), vertex(b)});
      touching.emplace(low, high);
    }
    for (auto& [ends, c] : all) {
      auto const back = all.find({ends.second, ends.first});
      c.both_ways = back != all.end() && back->second.cost == c.cost && back->second.parallel == c.parallel;
      if (!c.both_ways || ends.first < ends.second) drawn.connections.push_back(c);
    }
    for (auto const& [a, b] : touching) drawn.connections.push_back({a, b, {}, true});
    return drawn;
  }

  std::vector<sg::Host*> const& hosts_;
  places places_;  // those of hosts first
  std::unordered_map<sg::Link const*, known_link> links_;
  std::vector<sg::Link const*> order_;
  std::set<std::pair<std::size_t, std::size_t>> touching_;  // ends, one of which is a place
};

}  // namespace

topology find_topology(std::vector<sg::Host*> const& hosts) { return finder(hosts).find(); }

}  // namespace ovlp::net
