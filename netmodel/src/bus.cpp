// SPDX-License-Identifier: BSD-3-Clause
//
// Which transfer may begin? One that waits can become able to only when its source or its destination gets a link back,
// or when it comes. So a node's side (out or in) that has a free link and was touched so is a *candidate*, together
// with the oldest transfer that waits there and finds its other link free. Candidates are in a heap by that transfer's
// place in the order of comings. When one's turn comes, its transfer begins if it still can, and the side looks for its
// next one. While no bus is free, candidates stay.
#include "ovlp/netmodel/bus.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "phases.hpp"

namespace ovlp::net {
namespace {

constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

/// A transfer that waits, as one of its sides sees it.
struct waiting {
  std::uint64_t sequence;
  std::uint32_t other;  ///< node at the other side
};

/// In the order of their sequence. To take one away costs as much as there are to the nearer end.
class waiting_list {
 public:
  std::span<waiting const> all() const { return std::span(list_).subspan(first_); }
  void push(waiting const& w) { list_.push_back(w); }
  void remove(std::uint64_t sequence) {
    auto const first = list_.begin() + static_cast<std::ptrdiff_t>(first_);
    auto const at = std::ranges::lower_bound(first, list_.end(), sequence, {}, &waiting::sequence);
    if (at - first < list_.end() - at) {
      std::move_backward(first, at, at + 1);
      ++first_;
    } else {
      list_.erase(at);
    }
    if (first_ > 64 && 2 * first_ > list_.size()) {
      list_.erase(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
  }

 private:
  std::vector<waiting> list_;
  std::size_t first_ = 0;
};

/// The links of one side of a node. Those that are taken are counted apart.
struct links {
  std::uint64_t candidate = nobody;  ///< the transfer that it is a candidate with
  waiting_list waits;
};

class bus final : public phased_network {
 public:
  bus(std::vector<node_link> const& nodes, double latency_s, bus_limits limits)
      : phased_network(nodes, latency_s),
        links_(nodes),
        limits_(limits),
        taken_(2 * nodes.size()),
        sides_(2 * nodes.size()) {}

  double latency_s(std::uint32_t source, std::uint32_t destination) const override {
    return latency_s_ + (links_[source].latency_s + links_[destination].latency_s);
  }

  double next_event() const override {
    double next_s = starting_.first_ready_s();
    if (!crossing_.empty()) next_s = std::min(next_s, crossing_.top().end_s);
    return std::max(now_s_, next_s);
  }

  std::span<completion const> advance(double to_s) override {
    check_time(to_s);
    completions_.clear();
    while (next_event() <= to_s) {
      now_s_ = next_event();
      while (!crossing_.empty() && crossing_.top().end_s <= now_s_ + rounding_s(now_s_)) end_first();
      while (starting_.first_ready_s() <= now_s_) come(starting_.pop());
      begin_waiting();
      if (next_event() > now_s_) completions_.end_instant(now_s_);  // else some were too short for the clock
    }
    now_s_ = to_s;
    return completions_.all();
  }

  std::uint32_t incoming(std::uint32_t node) const override { return taken(node, in); }
  std::uint32_t outgoing(std::uint32_t node) const override { return taken(node, out); }

 private:
  struct crossing {
    double end_s;
    started_transfer begun;
    bool operator>(crossing const& o) const {
      return end_s != o.end_s ? end_s > o.end_s : begun.sequence > o.begun.sequence;
    }
  };
  struct candidate {
    std::uint64_t sequence;
    std::uint32_t side;
    bool operator>(candidate const& o) const { return sequence != o.sequence ? sequence > o.sequence : side > o.side; }
  };

  std::uint32_t taken(std::uint32_t node, side s) const {
    check_node(node);
    return taken_[2 * node + s];
  }

  static std::uint32_t opposite(std::uint32_t here, std::uint32_t other) {
    return 2 * other + (here % 2 == out ? in : out);
  }
  bool has_link(std::uint32_t number) const {
    std::size_t const limit = number % 2 == out ? limits_.output_links : limits_.input_links;
    return limit == 0 || taken_[number] < limit;
  }
  bool has_bus() const { return limits_.buses == 0 || crossing_.size() < limits_.buses; }

  /// Its latency is over.
  void come(started_transfer const& comes) {
    transfer const& what = comes.what;
    if (what.bytes == 0) {
      completions_.add(comes.sequence, what.id);
      return;
    }
    std::uint64_t const sequence = sequence_++;
    std::uint32_t const from = 2 * what.source + out, to = 2 * what.destination + in;
    bool const able = has_link(from) && has_link(to);
    if (able && has_bus() && candidates_.empty()) {
      begin(comes);
      return;
    }
    waiting_.push_back({sequence, comes});
    sides_[from].waits.push({sequence, what.destination});
    sides_[to].waits.push({sequence, what.source});
    if (able) become_candidate(from, sequence);
  }

  void begin(started_transfer const& begins) {
    transfer const& what = begins.what;
    crossing_.push({end_s(what), begins});
    take_link(2 * what.source + out, 1);
    take_link(2 * what.destination + in, 1);
  }

  /// Of a transfer that begins now.
  double end_s(transfer const& what) const {
    node_link const& from = links_[what.source];
    node_link const& to = links_[what.destination];
    auto left_bytes = static_cast<double>(what.bytes);
    if (from.over_time == nullptr && to.over_time == nullptr) [[likely]]
      return now_s_ + left_bytes / std::min(from.out_Bps, to.in_Bps);
    for (double from_s = now_s_;;) {
      double const rate = std::min(from.out_Bps * from.factor(from_s), to.in_Bps * to.factor(from_s));
      double const until_s = std::min(from.next_change_s(from_s), to.next_change_s(from_s));
      if (from_s + left_bytes / rate <= until_s) return from_s + left_bytes / rate;
      left_bytes = std::max(0.0, left_bytes - rate * (until_s - from_s));
      from_s = until_s;
    }
  }

  void end_first() {
    auto const [what, sequence] = crossing_.top().begun;
    crossing_.pop();
    completions_.add(sequence, what.id);
    take_link(2 * what.source + out, -1);
    take_link(2 * what.destination + in, -1);
    look_at(2 * what.source + out);
    look_at(2 * what.destination + in);
  }

  void take_link(std::uint32_t number, int more) {
    taken_[number] += static_cast<std::uint32_t>(more);
    touched_.insert(number / 2);
  }

  void look_at(std::uint32_t number) {
    if (has_link(number)) become_candidate(number, oldest_able(number));
  }

  /// What it was a candidate with counts no more if that is younger.
  void become_candidate(std::uint32_t number, std::uint64_t with) {
    if (with >= sides_[number].candidate) return;
    sides_[number].candidate = with;
    candidates_.push({with, number});
  }

  std::uint64_t oldest_able(std::uint32_t number) const {
    for (waiting const& w : sides_[number].waits.all()) {
      if (has_link(opposite(number, w.other))) return w.sequence;
    }
    return nobody;
  }

  void begin_waiting() {
    while (!candidates_.empty() && has_bus()) {
      candidate const first = candidates_.top();
      candidates_.pop();
      if (sides_[first.side].candidate != first.sequence) continue;
      sides_[first.side].candidate = nobody;
      if (has_link(first.side) && oldest_able(first.side) == first.sequence) begin_waiting(first.sequence);
      look_at(first.side);
    }
  }

  void begin_waiting(std::uint64_t sequence) {
    waiting_transfer& begins = *std::ranges::lower_bound(waiting_, sequence, {}, &waiting_transfer::sequence);
    sides_[2 * begins.begun.what.source + out].waits.remove(sequence);
    sides_[2 * begins.begun.what.destination + in].waits.remove(sequence);
    begin(begins.begun);
    begins.has_begun = true;
    if (2 * ++begun_ > waiting_.size()) {
      std::erase_if(waiting_, [](waiting_transfer const& w) { return w.has_begun; });
      begun_ = 0;
    }
  }

  std::vector<node_link> const links_;  // by node
  bus_limits const limits_;
  std::uint64_t sequence_ = 0;  // of the next transfer that comes

  struct waiting_transfer {
    std::uint64_t sequence;
    started_transfer begun;
    bool has_begun = false;
  };
  std::vector<waiting_transfer> waiting_;  // in the order of their sequence
  std::size_t begun_ = 0;                  // of them
  std::vector<std::uint32_t> taken_;       // links, by side
  std::vector<links> sides_;               // out of node 0, into node 0, out of node 1, ...
  std::priority_queue<crossing, std::vector<crossing>, std::greater<>> crossing_;
  std::priority_queue<candidate, std::vector<candidate>, std::greater<>> candidates_;
};

}  // namespace

std::unique_ptr<network> make_bus(std::vector<node_link> const& nodes, double latency_s, bus_limits limits) {
  return std::make_unique<bus>(nodes, latency_s, limits);
}

}  // namespace ovlp::net
