// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/message.hpp>
#include <ovlp/netmodel/network.hpp>

namespace ovlp::machine {

/// A network as a source of events. Errors: std::logic_error that names a transfer which the network lets end in the
/// past, in the future or never; and one for a transfer that ends twice.
class network_source final : public event_source {
 public:
  network_source(event_queue& events, std::unique_ptr<net::network> network)
      : events_(events), network_(std::move(network)) {
    events_.add(*this);
  }

  net::network& network() { return *network_; }
  net::network const& network() const { return *network_; }

  /// The event happens when the message has crossed.
  void start(message const& m, std::optional<double> handed_over_s, event& crossed) {
    if (unused_.empty()) {
      unused_.push_back(crossing_.size());
      crossing_.emplace_back();
    }
    std::size_t const place = unused_.back();
    unused_.pop_back();
    crossing_[place] = {&crossed, &m};
    events_.number(crossed);
    network_->start({place, m.from, m.to, m.bytes, handed_over_s}, events_.now_s());
    events_.changed(*this);
  }

  double next_event_s() const override {
    double const next_s = network_->next_event();
    if (!(next_s < never) && unused_.size() < crossing_.size()) [[unlikely]]
      fail_first("never ends");
    return next_s;
  }
  void advance(double now_s, std::vector<event*>& due) override {
    for (net::completion const& done : network_->advance(now_s)) {
      transfer& crossed = crossing_.at(done.id);
      if (crossed.end == nullptr) [[unlikely]]
        throw std::logic_error("network: a transfer ends twice");
      if (!(done.time_s >= last_s_)) [[unlikely]]
        fail(crossed, "ends in the past");
      if (!(done.time_s <= now_s)) [[unlikely]]
        fail(crossed, "ends in the future");
      due.push_back(std::exchange(crossed, {}).end);
      unused_.push_back(done.id);
    }
    last_s_ = now_s;
  }

 private:
  struct transfer {
    event* end = nullptr;  ///< nullptr: it has ended
    message const* what = nullptr;
  };

  [[noreturn]] void fail_first(char const* how) const {
    for (transfer const& t : crossing_) {
      if (t.end != nullptr) fail(t, how);
    }
    std::abort();
  }
  [[noreturn]] static void fail(transfer const& t, char const* how) {
    throw std::logic_error("network: the transfer of " + std::to_string(t.what->bytes) + " bytes from node" +
                           std::to_string(t.what->from) + " to node" + std::to_string(t.what->to) + " " + how);
  }

  event_queue& events_;
  std::unique_ptr<net::network> network_;
  std::vector<transfer> crossing_;
  std::vector<std::size_t> unused_;  ///< places in it
  double last_s_ = 0;                ///< until when the network has been advanced
};

}  // namespace ovlp::machine
