// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ovlp/runtime/record.hpp>

#include "allocation.hpp"
#include "backend.hpp"
#include "control.hpp"
#include "dps_thread.hpp"
#include "envelope.hpp"
#include "execution_thread.hpp"
#include "group_table.hpp"
#include "program.hpp"
#include "scheduler.hpp"
#include "send_queue.hpp"

namespace ovlp {

/// How a node executes; the same in both backends.
struct node_settings {
  std::size_t nodes = 1;              ///< of the run
  std::size_t cores = 1;              ///< of this node
  std::size_t execution_threads = 0;  ///< shared by all collections; 0: for each min(its DPS threads here, cores)
  std::size_t stack_bytes = 256 * 1024;
  std::size_t launch = 0;               ///< how often this node has been launched before
  std::size_t concurrent_per_pair = 1;  ///< objects in transfer to one other node at once; 0: no bound
  record_sink* sink = nullptr;
};

/// Where the threads of a collection live, as a node knows it. Constant once published.
struct collection_view {
  std::uint32_t version = 0;
  std::vector<node_id> node_of;
  std::vector<dps_thread*> local;  ///< by index; nullptr for threads of other nodes
};

/// Objects and totals exchanged with another node, those of even and of odd epochs: there are never more than two under
/// way, for one change ends before the next begins. Objects may overtake each other, so their mere number would not
/// tell.
struct traffic {
  std::array<std::atomic<std::uint64_t>, 2> sent{};
  std::array<std::atomic<std::uint64_t>, 2> received{};
};

/// A node's part in a change of collections, from its new view until its leaving threads have left.
struct settling {
  settle message{};
  bool asked = false;
  std::vector<dps_thread*> leaving;  ///< told to leave once late objects have come
  std::size_t still_here = 0;
  bool told = false;
};

/// A change that someone on this node asked for.
struct change_record {
  bool done = false;
  std::string error;
  execution* waiter = nullptr;
};

/// What a node is to the runtime: it creates DPS threads, sends objects on and takes them in.
///
/// The way of an object: execution::post -> send (routing) -> deliver here, or backend::transmit and receive there
/// -> dps_thread::push -> scheduler -> execution_thread -> execution::run.
/// Thread: any, except where said.
class thread_manager {
 public:
  thread_manager(node_id self, ovlp::program const& program, ovlp::backend& world, node_settings settings);
  thread_manager(thread_manager const&) = delete;
  thread_manager& operator=(thread_manager const&) = delete;
  ~thread_manager();

  /// Creates the threads that the collections' first mappings place here; none in a node that joins later, which is
  /// told its own. Errors: config_error.
  void start(bool joins_later = false);
  /// Execution threads return from run() after the operation in hand.
  void stop();
  /// After stop, when no execution thread runs any more: ends operations that are suspended, and forgets what waits.
  void unwind();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // From the backend.
  void receive(node_id from, envelope_ptr object);
  void receive(node_id from, control const& message);
  /// The transfer of an object to this node has ended, so that another may begin.
  void sent(node_id to);
  /// No object waits to be sent or is in transfer from here.
  bool all_sent() const { return in_transfer_.load() == 0; }
  /// A node is launched anew: what its predecessor sent and received does not count.
  void node_renewed(node_id node);
  /// Node 0: the node that launch() asked for can be sent to.
  void node_joined(node_id node);

  // Calls. The caller waits until result_there; then takes it.
  group_id call(graph_definition const& graph, object_type const& type, void* object, std::size_t sender,
                std::int32_t iteration, std::optional<group_id> origin = {});
  /// If not, `waiter` is resumed once it is.
  bool result_there(group_id call, execution& waiter);
  bool result_there(group_id call);
  envelope_ptr take_result(group_id call);
  /// Calls and changes that somebody on this node asked for and that are not done.
  std::size_t open_requests();

  // From executions and DPS threads.
  void send(edge_definition const& edge, envelope_ptr object, std::size_t sender);
  void return_result(envelope_ptr result);
  void end_group(std::uint32_t graph, std::size_t closer, group_id group, std::uint64_t count, group_id call);
  void send_empty(std::uint32_t graph, port_reference port, frames const& opened, std::size_t sender,
                  std::int32_t iteration);
  void give_credit(group_id group, std::uint32_t place, group_id call);
  std::optional<std::uint64_t> closer_at(group_id group, thread_address closer, group_id call);
  bool holds(execution& waiter);
  std::size_t size_of(std::uint32_t collection) const { return view(collection).node_of.size(); }
  void operation_failed(execution const& operation, std::exception_ptr what);
  void state_failed(char const* function, thread_address thread, std::exception_ptr what);

  // Changes of collections. The caller waits until change_made. Errors: config_error, graph_error.
  std::uint64_t request_resize(collection_definition const& collection, std::size_t count);
  std::uint64_t request_remap(collection_definition const& collection, mapping const& to);
  /// If not, `waiter` is resumed once it is; without one the backend's call_ended is called.
  bool change_made(std::uint64_t change, execution* waiter);
  void send_state(dps_thread& thread, node_id to);
  void forward(node_id to, envelope_ptr object);
  void forward(node_id to, group_total const& total);
  /// The user's functions for the state of a thread that joins or leaves: one at a time on a node.
  std::shared_ptr<void> make_state(thread_address of);
  void thread_left(dps_thread& thread);
  /// So much more mail, or less, waits here for threads to move.
  void hold_back(std::ptrdiff_t mail) { held_back_ += mail; }
  /// When nothing else can go on in the run: lets in what is held back here. Returns whether there was something.
  bool let_in_held();

  // Records.
  bool recording() const { return settings_.sink != nullptr; }
  void record_step(execution const& operation, std::int32_t iteration, double start_s, double computed_s,
                   double work_s);
  void record_kernel(group_id call, kernel_call const& what, double work_s);

  node_id self() const { return self_; }
  std::size_t stack_bytes() const { return settings_.stack_bytes; }
  ovlp::program const& program() const { return program_; }
  ovlp::backend& backend() const { return world_; }
  ovlp::scheduler& scheduler() { return scheduler_; }
  group_table& groups() { return groups_; }

  /// Each waiting operation, its thread and what it waits for. The node must be passive.
  std::vector<std::string> waiting();

 private:
  struct call_record {
    envelope_ptr result;
    execution* waiter = nullptr;
  };
  call_record& open_call(group_id call);
  collection_view const& view(std::uint32_t collection) const {
    return *views_[collection].load(std::memory_order_acquire);
  }
  /// What becomes of threads that a view places here and that are not here yet.
  enum class newcomers : std::uint8_t { with_state, make_theirs, come_later };
  void publish(std::uint32_t collection, std::uint32_t version, std::vector<node_id> nodes, newcomers they);
  static failure describe(std::exception_ptr what);
  dps_thread* create(thread_address address, std::shared_ptr<void> state);
  void set_limits();
  std::size_t choose(edge_definition const& edge, envelope& object, routing const& now) const;
  node_id leaving_opener(edge_definition const& edge, envelope const& object) const;
  void transmit(node_id to, envelope_ptr object, std::uint32_t epoch);
  void transmit(node_id to, group_total total, group_id call, std::uint32_t epoch);
  void arrived(node_id from, std::uint32_t epoch);
  void hand_over(node_id to, envelope_ptr object);
  envelope_ptr transfer_ended(node_id to);
  void wait_for_senders();
  void receive_state(envelope_ptr state);
  void look_whether_settled();
  void forget_departed(std::uint32_t collection);
  template <class Decide>
  void decide(Decide const& function);
  void look_whether_to_leave();
  void take_result(envelope_ptr result);
  void deliver(envelope_ptr object);
  void deliver_mail(thread_address to, mail* m);
  void wake_caller(execution* waiter);
  void deliver_total(group_total const& total, group_id call);
  void deliver_control(node_id to, control const& message, group_id call);
  void resume(execution* waiter);

  void take(node_id from, closer_here const& message);
  void take(node_id from, group_total const& message);
  void take(node_id from, credit const& message);
  void take(node_id from, change_request const& message);
  void take(node_id from, change_done const& message);
  void take(node_id from, move_thread const& message);
  void take(node_id from, thread_moved const& message);
  void take(node_id from, view_update const& message);
  void take(node_id from, view_adopted const& message);
  void take(node_id from, settle const& message);
  void take(node_id from, settled const& message);
  void take(node_id from, leave const& message);
  void take(node_id from, left const& message);

  node_id const self_;
  ovlp::program const& program_;
  ovlp::backend& world_;
  node_settings const settings_;
  ovlp::scheduler scheduler_;
  group_table groups_;
  std::atomic<bool> stopping_{false};

  std::vector<std::atomic<collection_view const*>> views_;
  std::mutex state_functions_;
  std::mutex structure_;  // guards the lists below; views are read without it
  std::vector<std::unique_ptr<collection_view const>> all_views_;
  std::vector<std::unique_ptr<dps_thread>> threads_;
  loop_pool loops_;
  std::vector<std::unique_ptr<execution_thread>> execution_threads_;
  std::vector<std::size_t> threads_here_;  ///< by collection: those that run here, whatever the view says
  std::map<std::pair<std::uint32_t, std::uint32_t>, dps_thread*> thread_at_;  ///< by collection and index
  std::map<std::pair<std::uint32_t, std::uint32_t>, mail_queue> early_;       ///< for threads that are not here yet

  std::mutex sending_;
  std::unordered_map<node_id, send_queue> send_queues_;
  std::atomic<std::size_t> in_transfer_{0};  ///< objects that wait to be sent, or are in transfer

  // Changes
  std::mutex outside_sending_;           ///< held while a thread that is no execution thread uses a view
  std::vector<traffic> traffic_;         ///< by node
  std::atomic<std::uint32_t> epoch_{0};  ///< changes adopted; read before the view that it goes with
  std::optional<settling> settling_;
  std::atomic<bool> watching_arrivals_{false};
  std::atomic<std::ptrdiff_t> held_back_{0};   ///< mail that waits in threads that are about to move
  std::optional<std::uint64_t> leaving_node_;  ///< the number of the leave that this node got
  std::map<std::uint64_t, change_record> changes_;
  std::mutex allocation_mutex_;
  std::optional<allocation> allocation_;  ///< on node 0

  std::mutex calls_mutex_;
  std::unordered_map<group_id, call_record> calls_;
};

}  // namespace ovlp
