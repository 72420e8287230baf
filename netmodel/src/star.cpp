// SPDX-License-Identifier: BSD-3-Clause
//
// How it is computed: served_pairs.hpp. Here a port with n transfers gives each of them the share B / n.
//
// Which pairs flip when a share changes? A port that goes through all its pairs at each change finds them, but may have
// very many that cannot flip for long: those of a node that sends to all others. So each port has a *published* share,
// from which its share departs by a factor of two at most; beyond that it publishes its share anew, for which as many
// transfers must have begun or ended as it has pairs, or half of them. A pair whose published shares differ by more
// than a factor of four is *far*: it cannot flip before one of its ports publishes another share, and only then do its
// ports look at it. The others are *near*, and looked at whenever a share changes.
#include "ovlp/netmodel/star.hpp"

#include <memory>
#include <vector>

#include "served_pairs.hpp"

namespace ovlp::net {

namespace {

class equal_shares final : public served_pairs<equal_shares> {
 public:
  using served_pairs::served_pairs;
  void share_out();
  void bandwidth_changes(std::uint32_t port_number) { change(port_number); }

 private:
  void set_share(std::uint32_t port_number);
  void look_at_near(std::uint32_t port_number);
  void look_at_all(std::uint32_t port_number);
};

void equal_shares::share_out() {
  auto const changed = changed_ports_.members();
  for (std::uint32_t const number : changed) set_share(number);
  for (std::uint32_t const number : changed) {  // flips will add ports whose shares stay
    if (ports_[number].publishes) {
      look_at_all(number);
    } else {
      look_at_near(number);
    }
  }
}

void equal_shares::set_share(std::uint32_t number) {
  port& p = ports_[number];
  touched_.insert(number / 2);
  p.clock = clock_now(number);
  p.clock_s = now_s_;
  p.publishes = false;
  if (is_unsteady()) [[unlikely]]
    set_bandwidth(number);
  if (p.transfers == 0) {
    p.clock = shares_[number] = 0;
    return;
  }
  double const share = shares_[number] = p.bandwidth / p.transfers;
  if (share > departs * p.published || departs * share < p.published) {
    p.published = share;
    p.publishes = true;
  }
}

/// The port's share has changed: near pairs may flip.
void equal_shares::look_at_near(std::uint32_t number) {
  port const& p = ports_[number];
  double const here = shares_[number];
  counts_.looks += p.near;
  for (std::uint32_t place = 0; place < p.near; ++place) {
    opposite const pair = p.opposites[place];
    double const there = shares_[pair.port];
    // No branch on where it is attached, which no processor can predict.
    if (bool(there != here) & ((there < here) == bool(pair.attached))) flip(number, place);
  }
}

/// The port has published a share: any of its pairs may flip, become far or near.
void equal_shares::look_at_all(std::uint32_t number) {
  port const& p = ports_[number];
  counts_.looks += p.members.size();
  for (std::size_t place = 0; place < p.members.size();) {
    std::uint32_t const pair = p.members[place].pair;
    attach_to_bottleneck(pair);
    if (p.members[place].pair == pair) ++place;  // else another pair is here now
  }
}

}  // namespace

std::unique_ptr<network> make_star(std::vector<node_link> const& links, double latency_s) {
  return std::make_unique<equal_shares>(links, latency_s);
}

}  // namespace ovlp::net
