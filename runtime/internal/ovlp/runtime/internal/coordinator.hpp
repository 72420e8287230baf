// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <variant>

#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/borders.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/inbox.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class collection_changes;
class border_queue;
class thread_manager;

/// Decides for the whole run which nodes are held and where threads live (collection_changes.hpp), and what is done at
/// borders (border_queue.hpp). What comes to it goes into an inbox; the inbox's owner decides, and does what has been
/// decided. On node 0. Thread: any.
class coordinator {
 public:
  explicit coordinator(thread_manager& node);
  ~coordinator();

  struct joined {};
  using message = std::variant<change_request, border_request, border_done, work_answer, thread_moved, view_adopted,
                               drained, left, joined, border_decision>;
  void receive(node_id from, message what);
  /// The node that was launched can be sent to.
  void node_joined(node_id node) { receive(node, joined{}); }
  /// Records what is held from the start. Before the first call.
  void begin();
  /// A policy has answered.
  void decided(border_decision what) { receive(0, std::move(what)); }

  /// Whether nodes have no threads any more and are not released yet.
  bool any_leaves() const { return any_leaves_; }
  /// Whether a change is under way: it goes on after whoever asked for it has been answered. If so, the main program is
  /// woken (backend::call_ended) when none is.
  bool changes();
  /// Nothing that has come is in hand, and no policy is asked.
  bool idle() {
    return inbox_.when_idle([] {}) && !decides_;
  }
  /// What the change under way waits for; empty if there is none.
  std::string describe_wait();
  /// What should hold between events and does not; empty: all does. While no event is in hand.
  std::string broken_invariant() const;

 private:
  struct event {
    node_id from;
    message what;
  };
  // Of the inbox's owner.
  void handle(event const& what);
  void do_what_is_decided();
  void record_node(node_id node, node_change change);

  thread_manager& node_;
  inbox<event> inbox_;
  // Of the inbox's owner, and of begin().
  std::unique_ptr<collection_changes> const changes_;
  std::unique_ptr<border_queue> const borders_;

  shared<bool> any_leaves_{false};
  shared<bool> decides_{false};  ///< a policy is asked
  shared<bool> changes_now_{false};
  shared<bool> end_is_awaited_{false};
  shared<bool> begun_{false};  ///< the nodes of the first mappings are recorded
};

}  // namespace ovlp::OVLP_INLINE_CORE
