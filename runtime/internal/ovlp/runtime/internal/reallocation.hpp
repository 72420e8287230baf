// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/call_work.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/inbox.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class dps_thread;
class thread_manager;

/// A node's part in changing collections while the run goes on: threads that move, new views, late objects, and what
/// leaves. The coordinator decides; collection_changes.hpp tells the whole.
///
/// What follows a new view goes into an inbox: its owner looks whether all late objects have come, so that leaving
/// threads may go; whether these have gone; and whether the node itself, if it is to leave, is needed any more.
/// Thread: any.
class reallocation {
 public:
  explicit reallocation(thread_manager& node) : node_(node) {}

  // Threads that move, or leave.
  void handle_move_thread(move_thread const& message);
  void send_thread(dps_thread& thread, node_id to);
  void handle_state(envelope_ptr state);
  void thread_left(dps_thread& thread);
  /// So much more mail, or less, waits here for threads to move.
  void hold_back(std::ptrdiff_t mail) { held_back_ += mail; }
  /// When nothing else can go on in the run: lets in what is held back here. Returns whether there was something.
  bool let_in_held();

  void handle_view_update(view_update const& message);
  void handle_drain(drain const& message) { put(message); }
  void handle_leave(leave const& message) { put(message); }
  /// An object or a total of that epoch has been delivered.
  void arrived(node_id from, std::uint32_t epoch);
  /// The transfer of an object has ended.
  void look_after_transfer() {
    if (watching_) put(look{});
  }

  /// A kernel of this node has done so much in that call. Of no effect if no policy measures.
  void count_work(std::uint64_t call, double work_s);
  void handle_work_request(work_request const& message);

 private:
  struct new_view {
    std::vector<dps_thread*> leaving;  ///< are told to leave once late objects have come
  };
  struct thread_gone {};
  struct look {};
  using event = std::variant<new_view, drain, thread_gone, leave, look>;
  void put(event what);
  // Of the inbox's owner.
  void look_at_change();
  void look_whether_to_leave();

  thread_manager& node_;
  inbox<event> inbox_;
  // Of the inbox's owner: a change from the new view until late objects have come and leaving threads have gone.
  std::vector<dps_thread*> leaving_threads_;
  std::optional<drain> asked_;          ///< node 0 waits for that
  std::size_t still_here_ = 0;          ///< threads that have been told to leave
  std::optional<std::uint64_t> leave_;  ///< the number of the leave that this node got

  mutex work_mutex_;
  call_work work_ OVLP_GUARDED_BY(work_mutex_);  ///< of this node
  shared<bool> watching_{false};                 ///< something waits for messages to come, or to go
  shared<std::ptrdiff_t> held_back_{0};
};

}  // namespace ovlp::OVLP_INLINE_CORE
