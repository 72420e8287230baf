// SPDX-License-Identifier: BSD-3-Clause
#include "ovlp/netmodel/fair_star.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <ovlp/support/expects.hpp>

#include "node_set.hpp"

namespace ovlp::net {
namespace {

using support::require;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_bytes = 1e-6;  // a transfer or bucket with less is empty: rounding must not make it linger
constexpr std::uint32_t none = 0xffffffff;

struct port {
  double tokens = 0;  // as of the network's clock
  double used_Bps = 0;
  std::vector<std::uint32_t> flows;  // in their bandwidth phase, by their places
  std::uint32_t loaded = none;       // its place among the ports with flows
  // While shares are computed:
  double left_Bps = 0;
  std::uint32_t open = 0;  // flows whose rate is not known yet
};

/// In its bandwidth phase.
struct flow {
  transfer what;
  std::uint64_t sequence = 0;  // in the order of starts
  double left_bytes = 0;       // as of since_s
  double since_s = 0;
  double rate_Bps = 0;
  std::uint32_t limit = none;  // the port that sets its rate
  std::uint32_t round = 0;     // in which its rate was set last
  // Among the flows of its ports.
  std::uint32_t in_out = none;
  std::uint32_t in_in = none;
};

/// What a port could give to each of its open flows, at least.
struct offer {
  double each_Bps;
  std::uint32_t port;
  bool operator>(offer const& o) const { return each_Bps != o.each_Bps ? each_Bps > o.each_Bps : port > o.port; }
};

struct finished {
  std::uint64_t sequence;
  std::uint64_t id;
};

/// In its latency phase.
struct starting {
  double ready_s;
  transfer what;
};

}  // namespace

class fair_star::state {
 public:
  state(std::size_t nodes, fair_link link, double latency_s)
      : touched(nodes), link_(link), latency_s_(latency_s), ports_(2 * nodes) {
    require(std::isfinite(link.bandwidth_Bps) && link.bandwidth_Bps > 0, "a bandwidth is positive and finite");
    require(std::isfinite(link.burst_bytes) && link.burst_bytes >= 0, "a burst is finite and not negative");
    require(std::isfinite(link.line_Bps) && (link.burst_bytes == 0 || link.line_Bps > link.bandwidth_Bps),
            "the speed of a line is finite and above its bandwidth");
    require(std::isfinite(latency_s) && latency_s >= 0, "a latency is finite and not negative");
    for (port& p : ports_) p.tokens = link.burst_bytes;
  }

  void start(transfer const& started, double now_s) {
    std::size_t const nodes = ports_.size() / 2;
    require(started.source < nodes && started.destination < nodes, "a transfer is between nodes of the network");
    require(started.source != started.destination, "a transfer is between two nodes");
    require(now_s >= clock_s_ && std::isfinite(now_s), "time does not go back");
    starting_.push_back({now_s + latency_s_, started});
  }

  double next_event() const {
    double ready_s = infinity;
    if (!starting_.empty()) ready_s = starting_.front().ready_s;
    return std::min(ready_s, next_change_s_);
  }

  std::span<completion const> advance(double to_s) {
    require(to_s >= clock_s_ && std::isfinite(to_s), "time does not go back");
    done_.clear();
    while (next_event() <= to_s) {
      double const now_s = std::max(next_event(), clock_s_);
      move_to(now_s);
      end_flows();
      while (!starting_.empty() && starting_.front().ready_s <= now_s) {
        begin(starting_.front());
        starting_.pop_front();
      }
      share();
    }
    move_to(to_s);
    return done_;
  }

  std::uint32_t transfers(std::uint32_t node, bool in) const {
    require(node < ports_.size() / 2, "a node of the network");
    return static_cast<std::uint32_t>(ports_[2 * node + (in ? 1 : 0)].flows.size());
  }

  node_set touched;
  std::uint64_t flips = 0;

 private:
  static std::uint32_t out_of(transfer const& t) { return 2 * t.source; }
  static std::uint32_t in_of(transfer const& t) { return 2 * t.destination + 1; }

  /// Buckets fill at the present rates. What flows have left is known by their rates.
  void move_to(double to_s) {
    double const passed_s = to_s - clock_s_;
    if (link_.burst_bytes > 0 && passed_s > 0 && std::isfinite(passed_s)) {
      for (port& p : ports_) {
        p.tokens = std::clamp(p.tokens + (link_.bandwidth_Bps - p.used_Bps) * passed_s, 0.0, link_.burst_bytes);
      }
    }
    clock_s_ = to_s;
  }

  void begin(starting const& s) {
    if (s.what.bytes == 0) {
      done_.push_back({s.what.id, s.ready_s});
      return;
    }
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(flows_.size()));
      flows_.emplace_back();
      ends_s_.push_back(infinity);
    }
    std::uint32_t const place = unused_.back();
    unused_.pop_back();
    flow& f = flows_[place] = flow{s.what, sequence_++, static_cast<double>(s.what.bytes), clock_s_};
    f.in_out = join(out_of(f.what), place);
    f.in_in = join(in_of(f.what), place);
    touched.insert(f.what.source);
    touched.insert(f.what.destination);
  }

  std::uint32_t join(std::uint32_t number, std::uint32_t place) {
    port& p = ports_[number];
    if (p.flows.empty()) {
      p.loaded = static_cast<std::uint32_t>(loaded_.size());
      loaded_.push_back(number);
    }
    p.flows.push_back(place);
    return static_cast<std::uint32_t>(p.flows.size() - 1);
  }

  /// The port's last flow takes the place.
  void part(std::uint32_t number, std::uint32_t at) {
    port& p = ports_[number];
    p.flows[at] = p.flows.back();
    p.flows.pop_back();
    if (at < p.flows.size()) {
      flow& moved = flows_[p.flows[at]];
      (number % 2 == 0 ? moved.in_out : moved.in_in) = at;
    }
    if (!p.flows.empty()) return;
    p.used_Bps = 0;
    loaded_[p.loaded] = loaded_.back();
    ports_[loaded_.back()].loaded = p.loaded;
    loaded_.pop_back();
  }

  /// Those that end now, in the order of their starts.
  void end_flows() {
    finished_.clear();
    for (std::uint32_t place = 0; place < ends_s_.size(); ++place) {
      if (ends_s_[place] > clock_s_) continue;
      flow const f = flows_[place];
      finished_.push_back({f.sequence, f.what.id});
      ends_s_[place] = infinity;
      unused_.push_back(place);
      part(out_of(f.what), f.in_out);
      part(in_of(f.what), f.in_in);
      touched.insert(f.what.source);
      touched.insert(f.what.destination);
    }
    std::ranges::sort(finished_, {}, &finished::sequence);
    for (finished const& f : finished_) done_.push_back({f.id, clock_s_});
  }

  void share() {
    do {
      set_rates();
    } while (!find_next_change());
  }

  /// Fills all flows evenly until a port is full; its flows are done; goes on with the others. As flows are done with
  /// less than others get, what a port offers to each of its open ones only grows: an offer in the heap may be too
  /// low, never too high.
  void set_rates() {
    ++round_;
    offers_.clear();
    for (std::uint32_t const number : loaded_) {
      port& p = ports_[number];
      p.used_Bps = 0;
      p.left_Bps = p.tokens > least_bytes ? link_.line_Bps : link_.bandwidth_Bps;
      p.open = static_cast<std::uint32_t>(p.flows.size());
      offers_.push_back({p.left_Bps / p.open, number});
    }
    std::make_heap(offers_.begin(), offers_.end(), std::greater{});
    while (!offers_.empty()) {
      std::pop_heap(offers_.begin(), offers_.end(), std::greater{});
      offer const lowest = offers_.back();
      offers_.pop_back();
      port const& p = ports_[lowest.port];
      if (p.open == 0) continue;
      double const share = std::max(0.0, p.left_Bps) / p.open;
      if (offer const now{share, lowest.port}; !offers_.empty() && now > offers_.front()) {
        offers_.push_back(now);
        std::push_heap(offers_.begin(), offers_.end(), std::greater{});
        continue;
      }
      for (std::uint32_t const place : p.flows) {
        if (flows_[place].round != round_) set_rate(place, share, lowest.port);
      }
    }
  }

  void set_rate(std::uint32_t place, double rate, std::uint32_t limit) {
    flow& f = flows_[place];
    f.round = round_;
    if (std::exchange(f.limit, limit) != limit) ++flips;
    for (std::uint32_t const number : {out_of(f.what), in_of(f.what)}) {
      port& p = ports_[number];
      p.left_Bps -= rate;
      p.used_Bps += rate;
      --p.open;
    }
    if (f.rate_Bps == rate) return;
    f.left_bytes -= f.rate_Bps * (clock_s_ - f.since_s);
    f.since_s = clock_s_;
    f.rate_Bps = rate;
    ends_s_[place] = f.left_bytes <= least_bytes ? clock_s_ : clock_s_ + f.left_bytes / rate;
  }

  /// Returns false if a bucket holds too little to tell when it runs dry: it is dry then.
  bool find_next_change() {
    next_change_s_ = infinity;
    for (double const end_s : ends_s_) next_change_s_ = std::min(next_change_s_, end_s);
    for (std::uint32_t const number : loaded_) {
      port& p = ports_[number];
      double const drain = p.used_Bps - link_.bandwidth_Bps;
      if (p.tokens <= least_bytes || drain <= 0) continue;
      double const dry_s = clock_s_ + p.tokens / drain;
      if (dry_s <= clock_s_) {
        p.tokens = 0;
        return false;
      }
      next_change_s_ = std::min(next_change_s_, dry_s);
    }
    return true;
  }

  fair_link const link_;
  double const latency_s_;
  double clock_s_ = -infinity;
  double next_change_s_ = infinity;
  std::vector<port> ports_;
  std::vector<flow> flows_;            // in use, or not
  std::vector<double> ends_s_;         // by place: at the present rate; never, if it is not in use
  std::vector<std::uint32_t> unused_;  // places
  std::uint64_t sequence_ = 0;
  std::uint32_t round_ = 0;
  std::deque<starting> starting_;      // all have the same latency, so in the order of their ends
  std::vector<std::uint32_t> loaded_;  // ports with flows
  std::vector<offer> offers_;
  std::vector<finished> finished_;
  std::vector<completion> done_;
};

fair_star::fair_star(std::size_t nodes, fair_link link, double latency_s)
    : state_(std::make_unique<state>(nodes, link, latency_s)) {}
fair_star::~fair_star() = default;

void fair_star::start(transfer const& started, double now_s) { state_->start(started, now_s); }
double fair_star::next_event() const { return state_->next_event(); }
std::span<completion const> fair_star::advance(double to_s) { return state_->advance(to_s); }
std::uint32_t fair_star::incoming(std::uint32_t node) const { return state_->transfers(node, true); }
std::uint32_t fair_star::outgoing(std::uint32_t node) const { return state_->transfers(node, false); }
std::span<std::uint32_t const> fair_star::touched_nodes() const { return state_->touched.members(); }
void fair_star::clear_touched_nodes() { state_->touched.clear(); }
std::uint64_t fair_star::flips() const { return state_->flips; }

}  // namespace ovlp::net
