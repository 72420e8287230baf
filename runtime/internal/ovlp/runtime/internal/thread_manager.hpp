// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/internal/common_parts.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/memory_watch.hpp>
#include <ovlp/runtime/internal/program.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class backend;
class borders;
class calls;
class change_requests;
class coordinator;
class delivery;
class delivery_orders;
class execution;
class execution_pool;
class group_messages;
class group_table;
class outbox;
class reallocation;
class runtime_cost_collector;
class scheduler;
class thread_states;
class traffic;
class views;

/// How a node executes; the same in both backends.
struct node_settings {
  std::size_t nodes = 1;              ///< of the run
  std::size_t cores = 1;              ///< of this node
  std::size_t execution_threads = 0;  ///< shared by all collections; 0: for each min(its DPS threads here, cores)
  std::size_t stack_bytes = 256 * 1024;
  double start_s = 0;                   ///< when the run began, by backend::now_s
  std::size_t launch = 0;               ///< how often this node has been launched before
  std::size_t concurrent_per_pair = 1;  ///< objects in transfer to one other node at once; 0: no bound
  bool barriers = false;                ///< streams post when they have taken in all, as a merge and a split would
  borders* at_borders = nullptr;
  record_sink* sink = nullptr;
  record_sink* kernels = nullptr;           ///< where kernels go, without times, if there are no records
  runtime_cost_collector* costs = nullptr;  ///< of the runtime itself; nullptr: nobody wants to know
  delivery_orders* orders = nullptr;        ///< in which mail comes to DPS threads, where they are noted or given
  memory_watch* memory = nullptr;           ///< of a simulation, if its platform says how much its nodes have
};

/// What a node is to the runtime. It consists of parts, which know each other through it; a part has its own mutex, and
/// calls no other part while it holds that.
/// Thread: any, except where said.
class thread_manager {
 public:
  thread_manager(node_id self, ovlp::program const& program, ovlp::backend& world, node_settings settings,
                 common_parts& common);
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
  /// A node is launched anew: what its predecessor sent and received does not count.
  void node_renewed(node_id node);
  /// Nothing runs here or waits to run, and no object waits to be sent.
  bool passive() const;
  /// Calls and changes that somebody on this node asked for and that are not done.
  std::size_t open_requests() const;
  /// Each waiting operation, its thread and what it waits for. The node must be passive.
  std::vector<std::string> waiting() const;

  /// What should hold between steps and arrivals, in any of its parts, and does not; empty: all does. When nothing
  /// runs.
  std::string broken_invariant() const;

  /// Wakes who waits for a call or a change: an operation, or without one the main program.
  void wake_caller(execution* waiter) const;

  // What it consists of.
  ovlp::scheduler& scheduler() const { return *scheduler_; }
  execution_pool& execution_threads() const { return *execution_threads_; }
  group_table& groups() const { return *groups_; }
  ovlp::group_messages& group_messages() const { return *group_messages_; }
  thread_states& states() const { return *states_; }
  ovlp::views& views() const { return *views_; }
  ovlp::traffic& traffic() const { return *traffic_; }
  ovlp::outbox& outbox() const { return *outbox_; }
  ovlp::delivery& delivery() const { return *delivery_; }
  ovlp::calls& calls() const { return *calls_; }
  ovlp::change_requests& change_requests() const { return *change_requests_; }
  ovlp::reallocation& reallocation() const { return *reallocation_; }
  /// On node 0.
  ovlp::coordinator& coordinator() const { return *coordinator_; }

  // What it is part of.
  node_id self() const { return self_; }
  ovlp::program const& program() const { return program_; }
  ovlp::backend& backend() const { return world_; }
  common_parts& common() const { return common_; }
  node_settings const& settings() const { return settings_; }
  /// Where records go; nullptr: nowhere.
  record_sink* records() const { return settings_.sink; }

  /// The object is in this node's memory now.
  void hold(envelope& object) const {
    if (memory_watch* const watch = memory()) [[unlikely]]
      hold(object, *watch);
  }
  /// nullptr: nobody counts what is in its memory.
  memory_watch* memory() const {
#ifdef OVLP_ONE_THREAD
    return settings_.memory;
#else
    return nullptr;
#endif
  }

 private:
  void hold(envelope& object, memory_watch& watch) const;

  node_id const self_;
  ovlp::program const& program_;
  ovlp::backend& world_;
  common_parts& common_;
  node_settings const settings_;
  shared<bool> stopping_{false};

  std::unique_ptr<ovlp::scheduler> const scheduler_;
  std::unique_ptr<group_table> const groups_;
  std::unique_ptr<ovlp::group_messages> const group_messages_;
  std::unique_ptr<thread_states> const states_;
  std::unique_ptr<execution_pool> const execution_threads_;
  std::unique_ptr<ovlp::views> const views_;
  std::unique_ptr<ovlp::traffic> const traffic_;
  std::unique_ptr<ovlp::outbox> const outbox_;
  std::unique_ptr<ovlp::delivery> const delivery_;
  std::unique_ptr<ovlp::calls> const calls_;
  std::unique_ptr<ovlp::change_requests> const change_requests_;
  std::unique_ptr<ovlp::reallocation> const reallocation_;
  std::unique_ptr<ovlp::coordinator> const coordinator_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
