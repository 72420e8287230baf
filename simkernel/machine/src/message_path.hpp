// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/message.hpp>
#include <ovlp/machine/platform.hpp>

#include "effect.hpp"
#include "network_source.hpp"
#include "processor.hpp"
#include "transport.hpp"

namespace ovlp::machine {

/// What messages see of a node.
struct message_node {
  explicit message_node(machine::processor& with) : processor(with), io(with) {}
  machine::processor& processor;
  thread io;                    ///< does what messages cost, where no other thread does
  double communication_s = 0;   ///< CPU time that messages have cost so far
  std::uint64_t under_way = 0;  ///< messages to it, sent and not delivered
};

/// The life of a message, from send to delivery. message_path.cpp tells it in the order in which it happens.
///
/// Each end does for a message what it costs there, one message after another: the thread that sends it or the node's
/// I/O thread, and the I/O thread of its receiver. Source: docs/model.md, "Messages".
class message_path {
 public:
  message_path(event_queue& events, std::vector<std::unique_ptr<message_node>>& nodes, network_source& network,
               effects const& extra, platform const& on);

  /// `by`: the thread of its node that sends it; nullptr: none in particular.
  void send(message& m, thread* by);
  /// So far, of all kinds; and of them objects.
  std::uint64_t messages() const { return messages_; }
  std::uint64_t objects() const { return objects_; }
  /// Of those that have waited for their turn: how many took their whole latency all the same, for the network knows no
  /// better.
  std::uint64_t whole_latencies() const { return whole_latencies_; }
  /// For the transport: its turn has come.
  void cross(message& m);

 private:
  friend class message;
  /// What one end does for a message.
  enum step : unsigned { sending, receiving };
  void done(message& m, step what, double work_s);

  void sent(message& m);
  void crossed(message& m);
  void received(message& m);
  crossing crossing_of(message const& m) const;

  effect::occasion occasion(message const& m) const;

  event_queue& events_;
  std::vector<std::unique_ptr<message_node>>& nodes_;
  network_source& network_;
  effects const& effects_;
  communication_cost const& cost_;
  std::unique_ptr<transport> transport_;
  std::uint64_t messages_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t whole_latencies_ = 0;
};

}  // namespace ovlp::machine
