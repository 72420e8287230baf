// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "launch/launches.hpp"
#include "membership.hpp"
#include "run_state.hpp"
#include "silence.hpp"
#include "transport.hpp"

namespace ovlp::real {

/// Who lives, and what becomes of the run when somebody does not.
///
/// Every process sends something to every other at least once a second. Who is silent for the peer timeout, or whose
/// connection breaks, is lost; node 0 then ends the run, and a process that has lost node 0 ends itself.
/// Thread: the reactor, except where said.
class liveness {
 public:
  static constexpr std::chrono::milliseconds tick_period{250};

  /// `started`: on node 0, the processes of the others; else nullptr.
  liveness(reactor& reactor, transport& network, membership const& members, run_state const& run, launches* started,
           node_id self, double peer_timeout_s);

  /// Begins to send heartbeats, and to name what takes long here, from a thread of its own: whatever the reactor does.
  /// Thread: also the main thread.
  void start();
  void stop() { sender_ = {}; }
  /// A launched process: watches its standard input, which node 0 holds open.
  void watch_driver();
  /// To be called each `tick_period`.
  void tick();
  /// Something has come from the node lately. Thread: also the main thread, while it leads.
  bool has_sent_lately(node_id node) const;

  /// The connection to a node that was to stay, or to say goodbye before, is gone.
  void handle_lost(node_id node, std::string const& how, bool silent);
  /// Node 0: another node has lost it.
  void handle_peer_lost(node_id from, peer_lost const& message);

 private:
  void report_lost(node_id node, std::string const& how, bool silent);
  [[noreturn]] void end_process(std::string const& why) const;

  reactor& reactor_;
  transport& network_;
  membership const& members_;
  run_state const& run_;
  launches* const launches_;
  node_id const self_;
  std::chrono::duration<double> const peer_timeout_;  ///< 0: none
  transport::clock::time_point last_tick_;
  std::map<node_id, silence> silences_;  ///< at most one a node
  boost::asio::posix::stream_descriptor input_;
  std::array<char, 64> input_bytes_{};
  std::jthread sender_;
};

}  // namespace ovlp::real
