// SPDX-License-Identifier: BSD-3-Clause
#include "ovlp/netmodel/fair_star.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
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
  std::uint32_t transfers = 0;  // in their bandwidth phase
  // While shares are computed:
  double left_Bps = 0;
  std::uint32_t open = 0;  // transfers whose rate is not known yet
};

/// In its bandwidth phase.
struct flow {
  transfer what;
  double left_bytes;
  double rate_Bps = 0;
  std::uint32_t limit = none;  // the port that sets its rate
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
    return ports_[2 * node + (in ? 1 : 0)].transfers;
  }

  node_set touched;
  std::uint64_t flips = 0;

 private:
  static std::uint32_t out_of(transfer const& t) { return 2 * t.source; }
  static std::uint32_t in_of(transfer const& t) { return 2 * t.destination + 1; }

  void count(transfer const& t, std::uint32_t difference) {
    ports_[out_of(t)].transfers += difference;
    ports_[in_of(t)].transfers += difference;
    touched.insert(t.source);
    touched.insert(t.destination);
  }

  /// Bytes pass and buckets fill at the present rates.
  void move_to(double to_s) {
    double const passed_s = to_s - clock_s_;
    if (passed_s > 0 && std::isfinite(passed_s)) {
      for (flow& f : flows_) f.left_bytes -= f.rate_Bps * passed_s;
      if (link_.burst_bytes > 0) {
        for (port& p : ports_) {
          p.tokens = std::clamp(p.tokens + (link_.bandwidth_Bps - p.used_Bps) * passed_s, 0.0, link_.burst_bytes);
        }
      }
    }
    clock_s_ = to_s;
  }

  void begin(starting const& s) {
    if (s.what.bytes == 0) {
      done_.push_back({s.what.id, s.ready_s});
      return;
    }
    flows_.push_back({s.what, static_cast<double>(s.what.bytes)});
    count(s.what, 1);
  }

  void end_flows() {
    auto const over = [this](flow const& f) {
      return f.left_bytes <= least_bytes || clock_s_ + f.left_bytes / f.rate_Bps <= clock_s_;
    };
    for (flow const& f : flows_) {
      if (!over(f)) continue;
      done_.push_back({f.what.id, clock_s_});
      count(f.what, static_cast<std::uint32_t>(-1));
    }
    std::erase_if(flows_, over);  // keeps the order of their starts
  }

  void share() {
    do {
      set_rates();
    } while (!find_next_change());
  }

  /// Fills all transfers evenly until a port is full; its transfers are done; goes on with the others.
  void set_rates() {
    used_.clear();
    for (port& p : ports_) p.used_Bps = 0;
    for (flow& f : flows_) {
      f.rate_Bps = -1;
      for (std::uint32_t number : {out_of(f.what), in_of(f.what)}) {
        port& p = ports_[number];
        if (p.open++ > 0) continue;
        used_.push_back(number);
        p.left_Bps = p.tokens > least_bytes ? link_.line_Bps : link_.bandwidth_Bps;
      }
    }
    for (;;) {
      std::uint32_t tightest = none;
      double share_of_each = infinity;
      for (std::uint32_t number : used_) {
        port const& p = ports_[number];
        if (p.open == 0) continue;
        double const each = std::max(0.0, p.left_Bps) / p.open;
        if (each < share_of_each) {
          share_of_each = each;
          tightest = number;
        }
      }
      if (tightest == none) break;
      for (flow& f : flows_) {
        if (f.rate_Bps >= 0 || (out_of(f.what) != tightest && in_of(f.what) != tightest)) continue;
        f.rate_Bps = share_of_each;
        if (std::exchange(f.limit, tightest) != tightest) ++flips;
        for (std::uint32_t number : {out_of(f.what), in_of(f.what)}) {
          ports_[number].left_Bps -= share_of_each;
          ports_[number].used_Bps += share_of_each;
          --ports_[number].open;
        }
      }
    }
  }

  /// Returns false if a bucket holds too little to tell when it runs dry: it is dry then.
  bool find_next_change() {
    next_change_s_ = infinity;
    for (flow const& f : flows_) {
      next_change_s_ = std::min(next_change_s_, clock_s_ + std::max(0.0, f.left_bytes) / f.rate_Bps);
    }
    for (std::uint32_t number : used_) {
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
  std::vector<flow> flows_;
  std::deque<starting> starting_;    // all have the same latency, so in the order of their ends
  std::vector<std::uint32_t> used_;  // ports with transfers
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
