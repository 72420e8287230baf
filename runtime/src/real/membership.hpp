// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

#include "run_state.hpp"
#include "transport.hpp"

namespace ovlp::real {

/// Who belongs to the run, and how a process comes to.
///
/// It says hello to node 0. When all that join together have, node 0 sends each a welcome, with the peers that it is to
/// say hello to. When these have accepted it, it tells node 0 that it is ready; then it has joined.
/// Thread: the reactor, except where said.
class membership {
 public:
  /// `capacity`: of this process's node, in cores. `own`: in what all processes of a run must agree. `now_s`: the
  /// clock.
  membership(transport& network, run_state const& run, node_id self, std::size_t nodes, double capacity, facts own,
             std::function<double()> now_s);

  /// Node 0: a process of the node is to join.
  void expect(node_id node);
  bool expects(node_id node) const;
  /// How many are to come.
  std::size_t expected() const;
  /// Node 0: who is to join and has not.
  std::set<node_id> const& joining() const { return joining_; }
  /// Node 0: nobody is to join any more. Thread: any.
  bool all_joined() const { return joining_count_ == 0; }

  /// A launched process: says hello to node 0. Errors: network_error.
  void join(peer_address const& driver);

  void handle_hello(hello const& from);
  void handle_welcome(welcome const& message);
  /// How far this process's clock is behind node 0's, given the welcome that came at `now_s`, wrong by at most half as
  /// long as hello and welcome were under way. Source: Mills 1991 (NTP), the clock offset of four times.
  double behind_driver_s(welcome const& message, double now_s) const {
    return (message.hello_received_s - hello_sent_s_ + message.sent_s - now_s) / 2;
  }
  void handle_accepted(node_id from);
  /// Node 0 asks in what this process differs, and learns it.
  void handle_facts_request(node_id from) { network_.send(from, facts_answer{facts_}); }
  void handle_facts(node_id from, facts const& theirs);
  void handle_ready(node_id from);

  /// The node is to leave, or does: when its process goes, it is not lost.
  void leave(node_id node) { members_[node].leaving = true; }
  void leave_all();
  bool leaving(node_id node) const;
  /// The others, whether they have joined or not, or leave.
  std::vector<node_id> all() const;
  /// The others that have been heard of: that have said hello, or accepted this process. They may join, or leave.
  std::vector<node_id> heard() const;
  /// The others that have joined and do not leave.
  std::vector<node_id> present() const;

 private:
  struct member {
    peer_address address = {};
    bool said_hello = false;
    bool differs = false;  ///< it is asked in what
    double hello_received_s = 0;
    bool joined = false;
    bool leaving = false;
  };

  template <class Predicate>
  std::vector<node_id> those(Predicate const& wanted) const;
  void welcome_when_all_are_here();
  void report_when_ready();
  transport& network_;
  run_state const& run_;
  node_id const self_;
  std::size_t const nodes_;
  double const capacity_;
  facts const facts_;
  std::uint64_t const fingerprint_;  ///< of the facts
  std::function<double()> const now_s_;
  std::map<node_id, member> members_;  ///< at most one a node: its last process
  std::set<node_id> joining_;          ///< on node 0
  std::atomic<std::size_t> joining_count_{0};
  double hello_sent_s_ = 0;      ///< of a launched process, to node 0
  std::set<node_id> to_accept_;  ///< in a joining process: peers that have not accepted it yet
};

}  // namespace ovlp::real
