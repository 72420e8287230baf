// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp {
inline namespace OVLP_CORE {

class allocation;
class dps_thread;
class execution;
class thread_manager;

/// From a new view until late objects have come and leaving threads have left.
struct settling {
  std::optional<settle> asked = {};
  std::vector<dps_thread*> leaving = {};  ///< get the order to leave once late objects have come
  bool ordered = false;                   ///< they have got it
  std::size_t still_here = 0;
};

/// A node's part in changing collections while the run goes on: who asks for a change, threads that move, new views,
/// late objects, and what leaves. Node 0 decides; allocation.hpp tells the whole.
/// Thread: any.
class reallocation {
 public:
  explicit reallocation(thread_manager& node);
  reallocation(reallocation const&) = delete;
  reallocation& operator=(reallocation const&) = delete;
  ~reallocation();

  // Asking. Errors: config_error, graph_error.
  std::uint64_t request_resize(collection_definition const& collection, std::size_t count);
  std::uint64_t request_remap(collection_definition const& collection, mapping const& to);
  std::uint64_t request_border(std::int32_t iteration, std::uint64_t call);
  void end_of_changes();
  /// If not, who asked is woken once it is: `waiter`, or without one the main program. `hold`: of a border, what it was
  /// answered. Errors: config_error if the change was refused.
  bool change_made(std::uint64_t change, execution* waiter, std::optional<held_nodes>* hold = nullptr);
  /// Changes asked for here that are not done.
  std::size_t open();

  // Node 0.
  /// Nodes that are held from the start.
  void record_nodes();
  /// The node that was launched can be sent to.
  void node_joined(node_id node);
  /// Whether nodes have no threads any more and are not released yet.
  bool any_leaves();
  /// What the change under way waits for; empty if there is none.
  std::string describe_wait();

  // Threads that move, or leave.
  void send_thread(dps_thread& thread, node_id to);
  void handle_state(envelope_ptr state);
  void thread_left(dps_thread& thread);
  /// So much more mail, or less, waits here for threads to move.
  void hold_back(std::ptrdiff_t mail) { held_back_ += mail; }
  /// When nothing else can go on in the run: lets in what is held back here. Returns whether there was something.
  bool let_in_held();

  /// An object or a total of that epoch has been delivered.
  void arrived(node_id from, std::uint32_t epoch);
  /// The transfer of an object has ended.
  void look_after_transfer();

  void handle_change_request(change_request const& message);
  void handle_change_done(change_done const& message);
  void handle_border_request(border_request const& message);
  void handle_border_answer(border_answer const& message);
  void handle_border_done();
  void handle_work_request(work_request const& message);
  void handle_work_answer(node_id from, work_answer const& message);
  /// A kernel of this node has done so much in that call. Of no effect if no policy measures.
  void count_work(std::uint64_t call, double work_s);
  void handle_move_thread(move_thread const& message);
  void handle_thread_moved(thread_moved const& message);
  void handle_view_update(view_update const& message);
  void handle_view_adopted(node_id from, view_adopted const& message);
  void handle_settle(settle const& message);
  void handle_settled(node_id from, settled const& message);
  void handle_leave(leave const& message);
  void handle_left(node_id from, left const& message);

 private:
  /// A change that someone on this node asked for.
  struct request {
    bool done = false;
    std::string error = {};
    std::optional<held_nodes> hold = {};
    execution* waiter = nullptr;
  };

  template <class Request>
  std::uint64_t ask(Request wanted);
  void answered(std::uint64_t number, request with);
  /// One after another, each when what the last one has changed is done.
  void answer_borders();
  void answer(border_request const& asked, double work_s);
  void work_told(node_id by);
  border_answer answer_to(border_request const& asked, double work_s);
  template <class Decide>
  void decide(Decide const& function);
  void record_node(node_id node, node_change change) const;
  void look_whether_settled();
  void look_whether_to_leave();

  thread_manager& node_;
  mutex mutex_;
  std::map<std::uint64_t, request> requests_ OVLP_GUARDED_BY(mutex_);
  std::unique_ptr<allocation> const allocation_ OVLP_PT_GUARDED_BY(mutex_);  ///< on node 0
  std::optional<settling> settling_ OVLP_GUARDED_BY(mutex_);
  std::optional<std::uint64_t> leaving_ OVLP_GUARDED_BY(mutex_);  ///< the number of the leave that this node got
  std::vector<border_request> borders_ OVLP_GUARDED_BY(mutex_);   ///< on node 0, not answered
  border_request asked_ OVLP_GUARDED_BY(mutex_){};                ///< on node 0: waits for answers
  bool changing_ OVLP_GUARDED_BY(mutex_) = false;                 ///< on node 0, by the last answer
  /// Work of a call, the last one.
  struct work {
    std::uint64_t call = 0;
    double done_s = 0;
    void add(std::uint64_t of, double work_s);
  };
  work work_ OVLP_GUARDED_BY(mutex_);                       ///< of this node
  work left_ OVLP_GUARDED_BY(mutex_);                       ///< on node 0: of nodes that have left
  std::set<node_id> awaited_work_ OVLP_GUARDED_BY(mutex_);  ///< on node 0: whose answers have not come
  /// On node 0: of that call, by nodes that are held, when they were asked last.
  std::map<node_id, double> told_work_s_ OVLP_GUARDED_BY(mutex_);
  shared<bool> watching_{false};  ///< something waits for messages to come, or to go
  shared<std::ptrdiff_t> held_back_{0};
  shared<bool> recorded_{false};  ///< the nodes of the first mappings, at the run's begin
};

}  // namespace OVLP_CORE
}  // namespace ovlp
