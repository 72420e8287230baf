// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <ovlp/flowgraph/mapping.hpp>

#include "wire.hpp"

namespace ovlp::real {

/// When a message goes to the system.
enum class sending : std::uint8_t {
  now,
  with_others,  ///< a small one may wait for more, until flush()
};

/// Carries messages between the processes of a run: all that the real backend knows of a network.
///
/// Messages from one process to another arrive in the order in which they are sent, once and whole, or the node is
/// lost. What arrives is reported from the reactor: a transport whose arrivals the reactor cannot wait for looks for
/// them in a thread of its own, and posts them. Thread: the reactor, except where said.
class transport {
 public:
  using clock = std::chrono::steady_clock;

  /// Learns what happens. Thread: the reactor.
  class observer {
   public:
    observer() = default;
    observer(observer const&) = delete;
    observer& operator=(observer const&) = delete;
    virtual ~observer() = default;

    /// Whether a process of this run may now connect and say that it is this node.
    virtual bool expects(node_id node) const = 0;
    /// How many processes that are expected have not connected yet.
    virtual std::size_t expected() const = 0;
    /// An expected process has connected; from now on it can be sent to.
    virtual void handle_hello(hello const& from) = 0;
    /// Errors: decode_error or network_error; then the node is lost.
    virtual void handle_message(node_id from, incoming& message) = 0;
    /// An object has been handed to the system that had not been when send returned.
    virtual void handle_sent(node_id to) = 0;
    /// The node is not connected any more, for whatever reason, unless its next process has taken its place already.
    virtual void handle_lost(node_id node, std::string const& how, bool silent) = 0;
    /// Others cannot connect for the time being.
    virtual void handle_cannot_accept(std::string const& why) = 0;
  };

  transport() = default;
  transport(transport const&) = delete;
  transport& operator=(transport const&) = delete;
  virtual ~transport() = default;

  /// From now on other processes can connect. Returns where; the same when called again.
  /// Errors: config_error, network_error.
  virtual peer_address accept() = 0;
  /// Nobody else can connect any more.
  virtual void stop_accepting() = 0;
  /// File descriptors that it takes to be connected to so many nodes more.
  virtual std::size_t descriptors(std::size_t more_nodes) const = 0;

  /// Connects, and introduces this process. What is sent arrives once the other has taken notice. Errors:
  /// network_error.
  virtual void connect(peer_address const& to, std::uint64_t fingerprint) = 0;
  /// Thread: any.
  virtual bool connected(node_id node) const = 0;
  /// Whether it is connected to any node.
  virtual bool any_connected() const = 0;

  /// Does not wait. What is sent to a node that is not connected is dropped. Returns whether all of it has been handed
  /// to the system, or is kept to go with others; else, if it is an object, observer::handle_sent follows. Thread: any.
  virtual bool send(node_id to, std::unique_ptr<outgoing> message, sending when) = 0;
  bool send(node_id to, service const& message) { return send(to, std::make_unique<outgoing>(message), sending::now); }
  /// Hands to the system what has been kept to go with others. Whoever sends so sees to it that this is called soon.
  /// Thread: any.
  virtual void flush() = 0;
  /// Says to all nodes that this process lives, unless they have been sent something within `period`; also sends on
  /// what waits, for the reactor may be busy. Thread: any.
  virtual void send_heartbeats(std::chrono::milliseconds period) = 0;
  /// When something last came from the node.
  virtual clock::time_point last_received(node_id from) const = 0;

  /// Looks after whatever takes time. To be called some times a second.
  virtual void tick() = 0;
  /// Gives the node up for its silence: observer::handle_lost follows.
  virtual void give_up(node_id node, std::string const& why) = 0;
  /// Nothing more will be sent to anybody; once all of it is out, the others see that, and close.
  virtual void finish_sending() = 0;
  /// Closes all connections; nothing is reported.
  virtual void close() = 0;
};

}  // namespace ovlp::real
