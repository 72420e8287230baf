// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/program.hpp>

namespace ovlp::OVLP_INLINE_CORE {

// collections/: which nodes are held, and where the threads of each collection live, now and after a change.
//
// Every node has views: for each collection a table thread -> node, constant once published, read without a lock. Node
// 0 has the coordinator, to which whoever wants a change sends it (change_requests on its node), and which makes one
// after another:
//
//   asking node      coordinator                 all held nodes
//   change_request ->  launching: the nodes that are needed and not held: join, and adopt all views
//                      moving:    move_thread  -> the thread's state goes over as an object; thread_moved back
//                      updating:  view_update  -> views::adopt; view_adopted back, with what it had sent before
//   <- change_done     draining:  drain        -> late objects come, leaving threads go; drained back
//                      idle:      leave        -> a node without threads says when it needs nothing more: left
//                      release of such nodes, between changes
//
// Borders (border_queue) are the other thing that is asked of node 0: what is to be held after an iteration. The answer
// is a policy's (borders); the program then asks for the changes that follow from it, and says border_done.
//
// A node's own part is reallocation. placement is the table that views of all nodes of a process share. thread_states
// runs the program's functions for states.
//
// What guards what: coordinator and reallocation have an inbox and no lock; their state belongs to the owner of the
// moment. Views are changed under their mutex and published whole. broken_invariant() tells what must hold.

/// Node 0's part in changing collections while the run goes on: one change after another. It only decides: what is to
/// be done stands in a list that the caller takes and does.
/// Thread: the coordinator's owner.
class collection_changes {
 public:
  struct send_control {
    node_id to;
    control message;
  };
  struct launch_node {
    node_id node;
  };
  struct release_node {
    node_id node;
  };
  using action = std::variant<send_control, launch_node, release_node>;

  /// `is_asked`: whether a node owes node 0 an answer to something else; then it is not released.
  collection_changes(program const& known, std::size_t nodes, std::function<bool(node_id)> is_asked);

  /// What is to be done now, in this order.
  std::vector<action> take_actions() { return std::exchange(to_do_, {}); }

  std::set<node_id> const& held() const { return held_; }
  /// Held nodes that are to be released as soon as they need nothing any more.
  bool any_leaves() const { return !leaving_.empty(); }
  bool under_way() const { return phase_ != phase::idle; }
  /// What the change under way waits for; empty if there is none. For the stall report.
  std::string describe_wait() const;
  /// What does not hold of what must, between events; empty: all does.
  std::string broken_invariant() const;

  void handle_change_request(change_request const& request);
  void handle_thread_moved(thread_moved const& moved);
  void handle_view_adopted(node_id from, view_adopted const& adopted);
  void handle_drained(node_id from, drained const& s);
  void handle_left(node_id from, left const& l);
  void node_joined(node_id node);
  /// What nodes that leave were asked for may have been answered.
  void release_unneeded();

 private:
  enum class phase : std::uint8_t { idle, launching, moving, updating, draining };
  void next();
  void refuse(std::string why);
  void handle_first_view(node_id from);
  void move_threads();
  void update_views();
  void drain_all();
  bool mapped(node_id node) const;
  void tell(node_id to, control message) { to_do_.emplace_back(send_control{to, std::move(message)}); }

  program const& known_;
  std::size_t const nodes_;
  std::function<bool(node_id)> const is_asked_;
  std::vector<action> to_do_;
  std::vector<std::vector<node_id>> views_;  ///< by collection
  std::vector<std::uint32_t> versions_;
  std::set<node_id> held_;
  std::deque<change_request> waiting_;

  std::map<node_id, std::uint64_t> leaving_;  ///< nodes without threads, and the number of the leave that they got
  std::set<node_id> unneeded_;                ///< of them those that have answered
  std::uint64_t leaves_ = 0;

  phase phase_ = phase::idle;
  change_request now_{};
  std::vector<node_id> target_;
  std::set<node_id> awaited_nodes_;
  std::map<node_id, std::size_t> joining_;        ///< views that nodes which have joined have not adopted yet
  std::set<std::uint32_t> awaited_moves_;         ///< threads, by index
  std::uint32_t epoch_ = 0;                       ///< changes made
  std::vector<std::vector<std::uint64_t>> sent_;  ///< by source, then destination
};

}  // namespace ovlp::OVLP_INLINE_CORE
