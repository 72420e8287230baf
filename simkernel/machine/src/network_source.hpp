// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/message.hpp>
#include <ovlp/netmodel/network.hpp>

namespace ovlp::machine {

/// A network as a source of events.
class network_source final : public event_source {
 public:
  network_source(event_queue& events, std::unique_ptr<net::network> network)
      : events_(events), network_(std::move(network)) {
    events_.add(*this);
  }

  net::network& network() { return *network_; }
  std::uint64_t flips() const { return network_->flips(); }

  /// The event happens when the message has crossed.
  void start(message const& m, event& crossed) {
    if (unused_.empty()) {
      unused_.push_back(crossing_.size());
      crossing_.push_back(nullptr);
    }
    std::size_t const place = unused_.back();
    unused_.pop_back();
    crossing_[place] = &crossed;
    events_.number(crossed);
    network_->start({place, m.from, m.to, m.bytes}, events_.now_s());
    events_.changed(*this);
  }

  double next_event_s() const override { return network_->next_event(); }
  void advance(double now_s, std::vector<event*>& due) override {
    for (net::completion const& done : network_->advance(now_s)) {
      due.push_back(crossing_[done.id]);
      unused_.push_back(done.id);
    }
  }

 private:
  event_queue& events_;
  std::unique_ptr<net::network> network_;
  std::vector<event*> crossing_;
  std::vector<std::size_t> unused_;  ///< places in it
};

}  // namespace ovlp::machine
