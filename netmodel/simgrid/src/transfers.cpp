// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid is one engine for the process, whose clock only goes on; our seconds are those since the network was made.
// Transfers are its communications between hosts, started by nobody (no actor runs). Its engine does one event after
// the other up to the moment that it is told, and calls back for each communication that ends. When the next one is,
// its models say, as they say it to the engine: the question changes nothing (Model.hpp).
//
// SimGrid does not tell when a latency ends, so for the counts of bandwidth phases that is done here, with the latency
// of the route.
#include "transfers.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/expects.hpp>
#include <simgrid/kernel/resource/Model.hpp>

#include "../../src/node_set.hpp"
#include "../../src/phases.hpp"
#include "calls.hpp"

namespace ovlp::net {
namespace {

namespace sg = ::simgrid::s4u;

class transfers final : public network, public phase_counts {
 public:
  transfers(std::vector<sg::Host*> hosts, double latency_factor)
      : touched_(hosts.size()),
        hosts_(std::move(hosts)),
        latency_factor_(latency_factor),
        begun_s_(sg::Engine::get_clock()),
        counts_(2 * hosts_.size(), 0) {
    base::require(current == nullptr, "SimGrid: a second network at a time");
    current = this;
    static bool const connected = [] {
      sg::Activity::on_completion_cb([](sg::Activity const& ended) {
        if (current != nullptr) current->handle_completion(ended);
      });
      return true;
    }();
    static_cast<void>(connected);
  }

  ~transfers() override {
    current = nullptr;
    crash_guard const guard;
    try {
      if (!aborted()) cancel_all();
    } catch (config_error const&) {  // it has aborted
    }
    flights_.clear();
  }

  void start(transfer const& started, double now_s) override {
    base::require(now_s < infinity && now_s >= now_s_, "SimGrid: a transfer starts in the past");
    base::require(std::max(started.source, started.destination) < hosts_.size(), "SimGrid: no such node");
    base::require(started.source != started.destination, "SimGrid: a transfer from a node to itself");
    go_to(now_s);
    next_end_s_.reset();
    flight& f = free_flight();
    f = {{}, started, sequence_++, false};
    auto const begin = [&] {
      f.what = sg::Comm::sendto_init(hosts_[started.source], hosts_[started.destination]);
      f.what->set_payload_size(started.bytes);
      f.what->set_data(&f);
      f.what->start();
    };
    auto const [known, is_new] = latencies_s_.try_emplace(pair_of(started.source, started.destination), 0);
    if (is_new) {
      known->second = try_route(started, begin);
    } else {
      call(begin);
    }
    if (counting_ && started.bytes > 0) entering_.push({now_s + latency_factor_ * known->second, &f, f.sequence});
  }

  double next_event() const override {
    if (!ended_.empty()) return now_s_;
    if (!next_end_s_) next_end_s_ = next_end_s() - begun_s_;
    double const next_s = entering_.empty() ? *next_end_s_ : std::min(*next_end_s_, entering_.top().at_s);
    return std::max(now_s_, next_s);
  }

  std::span<completion const> advance(double to_s) override {
    base::require(to_s < infinity && to_s >= now_s_, "SimGrid: time goes on, and is finite");
    completions_.clear();
    if (next_event() <= to_s) {
      run_to(to_s);
    } else {
      go_to(to_s);
    }
    take_ended();
    return completions_.all();
  }

  bool knows_handed_over() const override { return false; }

  double latency_s(std::uint32_t source, std::uint32_t destination) const override {
    auto const known = latencies_s_.find(pair_of(source, destination));
    return known == latencies_s_.end() ? 0 : latency_factor_ * known->second;
  }

  phase_counts* phases() override {
    if (latency_factor_ == 0) return nullptr;
    counting_ = true;
    return this;
  }
  std::uint32_t incoming(std::uint32_t node) const override { return counts_.at(2 * node + in); }
  std::uint32_t outgoing(std::uint32_t node) const override { return counts_.at(2 * node + out); }
  std::span<std::uint32_t const> touched_nodes() const override { return touched_.members(); }
  void clear_touched_nodes() override { touched_.clear(); }

 private:
  struct flight {
    sg::CommPtr what;  // kept beyond its callback
    transfer asked;
    std::uint64_t sequence;
    bool in_bandwidth_phase;
  };
  struct latency_end {
    double at_s;
    flight* of;
    std::uint64_t sequence;  // of the transfer that `of` was then
    bool operator>(latency_end const& o) const { return at_s != o.at_s ? at_s > o.at_s : sequence > o.sequence; }
  };

  static std::uint64_t pair_of(std::uint32_t source, std::uint32_t destination) {
    return std::uint64_t{source} << 32 | destination;
  }

  void cancel_all() {
    bool any = false;
    for (flight& f : flights_) {
      if (f.what == nullptr) continue;
      call([&] { f.what->cancel(); });
      any = true;
    }
    // It looks once more at those that it has cancelled.
    if (any) call([] { sg::Engine::get_instance()->run_until(std::nextafter(sg::Engine::get_clock(), infinity)); });
  }

  /// As SimGrid's models say; costs as much as there are transfers.
  static double next_end_s() {
    double const clock_s = sg::Engine::get_clock();
    double least_s = infinity;
    for (auto* model : sg::Engine::get_instance()->get_all_models()) {
      double const after_s = model->next_occurring_event(clock_s);
      if (after_s >= 0) least_s = std::min(least_s, clock_s + after_s);
    }
    return least_s;
  }

  flight& free_flight() {
    if (free_.empty()) return flights_.emplace_back();
    flight& f = *free_.back();
    free_.pop_back();
    return f;
  }

  /// The first transfer of a pair of nodes, and the latency of their route. Errors: config_error if SimGrid has none.
  template <class Begin>
  double try_route(transfer const& first, Begin const& begin) {
    double latency_s = 0;
    sg::Host const* const from = hosts_[first.source];
    sg::Host const* const to = hosts_[first.destination];
    try {
      crash_guard const guard;
      call([&] {
        std::vector<sg::Link*> route;
        from->route_to(to, route, &latency_s);
      });
      call(begin);
    } catch (config_error const& wrong) {
      throw config_error("SimGrid has no transfer from node" + std::to_string(first.source) + " (" + from->get_name() +
                         ") to node" + std::to_string(first.destination) + " (" + to->get_name() +
                         "): " + wrong.what());
    }
    return latency_s;
  }

  void go_to(double to_s) {
    if (sg::Engine::get_clock() < begun_s_ + to_s) {
      run_to(to_s);
    } else {
      now_s_ = to_s;
    }
  }

  /// At least one of SimGrid's steps: from event to event. What follows at once from the last one is left for another.
  void run_to(double to_s) {
    double const until_s = begun_s_ + to_s;
    next_end_s_.reset();
    call([&] {
      auto* const engine = sg::Engine::get_instance();
      do {
        // A little beyond: what is left of an event may be too short for the clock.
        engine->run_until(std::nextafter(std::max(until_s, sg::Engine::get_clock()), infinity));
      } while (sg::Engine::get_clock() < until_s);
    });
    now_s_ = to_s;
    for (; !entering_.empty() && entering_.top().at_s <= now_s_; entering_.pop()) {
      latency_end const& over = entering_.top();
      flight& f = *over.of;
      if (f.what != nullptr && f.sequence == over.sequence) count(f, true);
    }
  }

  void count(flight& f, bool in_bandwidth_phase) {
    if (f.in_bandwidth_phase == in_bandwidth_phase) return;
    f.in_bandwidth_phase = in_bandwidth_phase;
    std::uint32_t const more = in_bandwidth_phase ? 1 : -1U;
    counts_[2 * f.asked.source + out] += more;
    counts_[2 * f.asked.destination + in] += more;
    touched_.insert(f.asked.source);
    touched_.insert(f.asked.destination);
  }

  void handle_completion(sg::Activity const& ended) {
    ended_.push_back({sg::Engine::get_clock() - begun_s_, static_cast<sg::Comm const&>(ended).get_data<flight>()});
  }

  void take_ended() {
    double instant_s = now_s_;
    for (auto const& [at_s, f] : ended_) {
      if (at_s != instant_s) completions_.end_instant(std::min(instant_s, now_s_));
      instant_s = at_s;
      completions_.add(f->sequence, f->asked.id);
      count(*f, false);
      f->what = nullptr;
      free_.push_back(f);
    }
    completions_.end_instant(std::min(instant_s, now_s_));
    ended_.clear();
  }

  static inline transfers* current = nullptr;

  node_set touched_;
  std::vector<sg::Host*> const hosts_;
  double const latency_factor_;
  double const begun_s_;  // on SimGrid's clock
  double now_s_ = 0;
  mutable std::optional<double> next_end_s_;  // on our clock; none: it may have changed
  std::uint64_t sequence_ = 0;
  std::deque<flight> flights_;  // which SimGrid knows by their addresses
  std::vector<flight*> free_;
  struct end {
    double at_s;
    flight* of;
  };
  std::vector<end> ended_;  // not told yet, in order of time
  completion_list completions_;

  bool counting_ = false;
  std::priority_queue<latency_end, std::vector<latency_end>, std::greater<>> entering_;
  std::unordered_map<std::uint64_t, double> latencies_s_;  // of routes, by pair of nodes
  std::vector<std::uint32_t> counts_;                      // out of node 0, into node 0, out of node 1, ...
};

}  // namespace

std::unique_ptr<network> make_transfers(std::vector<sg::Host*> hosts, double latency_factor) {
  return std::make_unique<transfers>(std::move(hosts), latency_factor);
}

}  // namespace ovlp::net
