// SPDX-License-Identifier: BSD-3-Clause
//
// How it is computed: served_pairs.hpp. Here the share of a port is its *level*, that of the transfers that it limits;
// those that other ports limit to less have theirs. With n(q) transfers to or from the port q, the level x of a port p
// is what fills it:
//
//     sum over q of n(q) min(x, level(q)) = bandwidth(p)
//
// or unlimited, if even all of min(unlimited, level(q)) do not. So a level depends only on lower ones, and the levels
// are unique: computed from the lowest up, this is the filling of the definition. When something changes at some ports
// only their levels are in doubt, and where one changes, those above it of the ports that it has pairs with. They are
// computed in the order of what they were before, which mostly is that of what they will be; one that was computed too
// early comes again. All pairs are near: their published shares are never told.
#include "ovlp/netmodel/fair_star.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <ovlp/base/expects.hpp>

#include "served_pairs.hpp"

namespace ovlp::net {
namespace {

using base::require;

/// The level of a port that limits nothing. Finite, so that it may be multiplied by no time.
constexpr double unlimited = std::numeric_limits<double>::max();
/// Levels that differ by less are the same: rounding must not go round among ports of one level.
constexpr double rounding = 1e-12;
constexpr double least_bytes = 1e-6;  // a bucket with less is empty: rounding must not make it linger

class fair_shares final : public served_pairs<fair_shares> {
 public:
  fair_shares(std::vector<node_link> const& links, double latency_s, link_burst burst)
      : served_pairs(links, latency_s), burst_(burst), used_(ports_.size()), settled_(ports_.size(), unlimited) {
    require(std::isfinite(burst.bytes) && burst.bytes >= 0, "fair_star: a burst is finite and not negative");
    require(std::isfinite(burst.line_Bps), "fair_star: the speed of a line is finite");
    if (burst.bytes > 0) buckets_.resize(ports_.size(), {burst.bytes});
    std::ranges::fill(shares_, unlimited);
    for (port& p : ports_) p.published = 1;
  }

  void share_out();
  void bandwidth_changes(std::uint32_t port_number);

 private:
  /// The token bucket of a port.
  struct bucket {
    double tokens = 0;  // as of since_s
    double since_s = -infinity;
    double used = 0;  // by the port's transfers, in bytes per second
    double dry_s = infinity;
  };

  /// A port whose level is in doubt, and what that was.
  struct doubt {
    double level;
    std::uint32_t port;
    bool operator>(doubt const& d) const { return level != d.level ? level > d.level : port > d.port; }
  };

  void doubt_level(std::uint32_t port_number);
  void compute_level(std::uint32_t port_number);
  std::pair<double, double> filled(std::uint32_t port_number, double bandwidth) const;
  void limit(std::uint32_t port_number, std::uint32_t count, double before, double now);
  void set_level(std::uint32_t port_number, double level);
  double fill_bucket(std::uint32_t port_number);
  void drain_bucket(std::uint32_t port_number, double used);
  double passed(std::uint32_t port_number, double from_s) const;

  link_burst const burst_;
  std::vector<double> used_;     // by port: of its bandwidth, by its transfers
  std::vector<bucket> buckets_;  // by port; none, if links have none
  std::vector<doubt> doubts_;    // a heap, the lowest on top
  std::vector<double> settled_;  // by port: its share; 0 if that is in doubt
};

void fair_shares::share_out() {
  for (std::uint32_t const number : changed_ports_.members()) {
    touched_.insert(number / 2);
    doubt_level(number);
  }
  while (!doubts_.empty()) {
    std::pop_heap(doubts_.begin(), doubts_.end(), std::greater{});
    std::uint32_t const lowest = doubts_.back().port;
    doubts_.pop_back();
    compute_level(lowest);
  }
}

void fair_shares::doubt_level(std::uint32_t number) {
  if (std::exchange(settled_[number], 0) == 0) return;
  doubts_.push_back({shares_[number], number});
  std::push_heap(doubts_.begin(), doubts_.end(), std::greater{});
}

void fair_shares::compute_level(std::uint32_t number) {
  ports_[number].changes_s = infinity;
  if (is_unsteady()) [[unlikely]]
    set_bandwidth(number);
  double const bandwidth = buckets_.empty() ? ports_[number].bandwidth : fill_bucket(number);
  auto const [level, used] = filled(number, bandwidth);
  used_[number] = used;
  set_level(number, level);
  if (!buckets_.empty()) drain_bucket(number, used);
}

/// The port's level by those of the others, and what its transfers then use. Newton's method: what they use is a
/// concave function of the level, so after the first step levels only rise.
std::pair<double, double> fair_shares::filled(std::uint32_t number, double bandwidth) const {
  port const& p = ports_[number];
  double level = shares_[number];
  std::span<opposite const> const opposites = p.opposites;
  std::span<double const> const shares = shares_;
  for (bool rises = false;;) {
    double used = 0, below = 0, above = unlimited;  // below: the highest level under this one
    std::uint32_t open = 0;
    for (std::size_t place = 0; place < opposites.size(); ++place) {
      double const there = shares[opposites[place].port];
      std::uint32_t const count = opposites[place].transfers;
      bool const is_below = there < level;  // no processor can predict it: no branches
      used += is_below ? count * there : 0;
      below = (is_below & (there > below)) ? there : below;
      above = (!is_below & (there < above)) ? there : above;
      open += is_below ? 0 : count;
    }
    if (open == 0) {
      if (rises || used <= bandwidth) return {unlimited, used};  // rising, it exceeds the bandwidth by rounding at most
      level = below;
      continue;
    }
    double const next = (bandwidth - used) / open;
    if (rises && next <= level) return {level, bandwidth};
    if (next > below && next <= above) return {next, bandwidth};
    level = next;
    rises = true;
  }
}

void fair_shares::set_level(std::uint32_t number, double level) {
  double const before = settled_[number] = shares_[number];
  if (std::abs(level - before) <= rounding * before) return;
  port& p = change(number);
  p.clock = before == unlimited ? 0 : clock_now(number);
  p.clock_s = now_s_;
  shares_[number] = settled_[number] = level;
  double const lower = std::min(before, level), upper = std::max(before, level);
  std::span<opposite const> const opposites = p.opposites;
  std::span<double const> const shares = shares_;
  std::span<double const> const settled = settled_;
  for (std::uint32_t place = 0; place < opposites.size(); ++place) {
    std::uint32_t const opposite_port = opposites[place].port;
    double const there = shares[opposite_port];
    bool const may_flip = (there >= lower) & (there <= upper);
    bool const comes_in_doubt = settled[opposite_port] > lower;
    if (!(may_flip | comes_in_doubt)) continue;
    if (comes_in_doubt) limit(opposite_port, opposites[place].transfers, before, level);
    if (there != level && (there < level) == opposites[place].attached && place < p.near) flip(number, place);
  }
}

/// The level of `count` transfers of the port has changed, and lay below the port's own or does now.
void fair_shares::limit(std::uint32_t number, std::uint32_t count, double before, double now) {
  if (shares_[number] == unlimited && before != unlimited && now != unlimited && buckets_.empty()) {
    constexpr double full = 1 - 1e-9;  // rounding adds up until the port's level is computed
    if ((used_[number] += count * (now - before)) < full * ports_[number].bandwidth) return;
  }
  doubt_level(number);
}

/// Up to now. Returns the bandwidth that the port has.
double fair_shares::fill_bucket(std::uint32_t number) {
  bucket& b = buckets_[number];
  if (b.since_s > -infinity) {
    double const gained = passed(number, b.since_s) - b.used * (now_s_ - b.since_s);
    b.tokens = std::clamp(b.tokens + gained, 0.0, burst_.bytes);
  }
  b.since_s = now_s_;
  double const bandwidth = ports_[number].bandwidth;
  return b.tokens > least_bytes ? std::max(bandwidth, burst_.line_Bps) : bandwidth;
}

/// What the bandwidth has been good for until now, in bytes.
double fair_shares::passed(std::uint32_t number, double from_s) const {
  if (is_unsteady() && unsteady_links_[number / 2].over_time != nullptr) {
    node_link const& l = unsteady_links_[number / 2];
    return steady_bandwidth(l, number) * l.over_time->integral(from_s, now_s_);
  }
  return ports_[number].bandwidth * (now_s_ - from_s);
}

void fair_shares::drain_bucket(std::uint32_t number, double used) {
  bucket& b = buckets_[number];
  port& p = change(number);
  b.used = used;
  b.dry_s = infinity;
  double const drain = used - p.bandwidth;
  if (b.tokens <= least_bytes || drain <= 0) return;
  double const dry_s = now_s_ + b.tokens / drain;
  if (dry_s > now_s_) {
    b.dry_s = dry_s;
    p.changes_s = std::min(p.changes_s, dry_s);
  } else {  // too little to tell when it runs dry
    b.tokens = 0;
    doubt_level(number);
  }
}

void fair_shares::bandwidth_changes(std::uint32_t number) {
  change(number).changes_s = infinity;
  if (buckets_.empty() || buckets_[number].dry_s > now_s_ + rounding_s(now_s_)) return;
  bucket& b = buckets_[number];
  b.tokens = 0;
  b.since_s = now_s_;
  b.dry_s = infinity;
}

}  // namespace

std::unique_ptr<network> make_fair_star(std::vector<node_link> const& links, double latency_s, link_burst burst) {
  return std::make_unique<fair_shares>(links, latency_s, burst);
}

}  // namespace ovlp::net
