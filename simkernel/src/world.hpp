// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/netmodel/network.hpp>
#include <ovlp/simkernel/platform.hpp>

#include "event_heap.hpp"
#include "hosted_processor.hpp"
#include "kernel_times.hpp"
#include "processor.hpp"
#include "runtime/src/backend.hpp"
#include "runtime/src/execution_thread.hpp"
#include "runtime/src/thread_manager.hpp"

namespace ovlp::sim {

/// The simulated backend: all nodes of a run in one OS thread, which alone advances the clock.
///
/// Each node has a thread manager of the runtime, as it has in a real run, a processor, and a port to the network. An
/// execution thread that has computed an atomic step leaves; it is entered again when the step has ended in simulated
/// time. Events are taken in the order of (time, sequence number).
/// Source: the paper, sections 3 to 5; docs/model.md.
class world final : public backend {
 public:
  world(platform const& on, program const& known, kernel_times& kernels, node_settings settings,
        std::unique_ptr<net::network> network, execution_mode mode, double host_speed);
  ~world() override;

  /// Operations may not touch the elements of buffers.
  void allocate_nothing() { no_alloc_ = true; }
  /// Events at one instant come in an order drawn from this seed.
  void shuffle(std::uint64_t seed) { shuffled_.emplace(seed); }

  /// Quotas of different nodes are renewed at times drawn from this seed. Before the nodes start.
  void vary(std::uint64_t seed);

  /// Each node runs as many operations at once as it has cores.
  void use_a_thread_per_core() { thread_per_core_ = true; }

  /// Node 0 and all nodes that a collection is mapped to. Errors: config_error.
  void start_nodes(std::set<node_id> const& nodes);
  thread_manager& driver() { return *nodes_[0]->manager; }

  /// Simulates until done(). Returns false if nothing can happen any more before that.
  bool run_until(std::function<bool()> const& done);
  std::optional<failure> const& failed() const { return failure_; }
  /// Each operation that waits, on all nodes.
  std::vector<std::string> waiting();
  /// Ends all operations that have not ended.
  void unwind();

  /// What communication has cost so far.
  struct usage {
    double communication_s;  ///< CPU time that it took from all nodes
    std::uint64_t flips;     ///< of the network model
  };
  usage used() const;

  // backend
  double now_s() override { return now_s_; }
  double computed_s() override;
  void start(execution_thread& thread) override;
  void idle(execution_thread& thread) override;
  void wake(execution_thread& thread) override;
  void end_step(execution& operation, bool posts) override;
  double kernel(execution& operation, kernel_call const& what) override;
  bool transmit(node_id from, node_id to, envelope_ptr object) override;
  void transmit(node_id from, node_id to, control const& message) override;
  void launch(node_id node) override;
  void release(node_id node) override;
  void fail(failure const& what) override;
  void call_ended() override {}

 private:
  /// What a message costs a node: before its transfer, at both ends meanwhile, after it.
  enum class part : std::uint8_t { first_piece, rest_of_sender, rest_of_receiver, last_piece };
  struct task {
    std::uint32_t message;
    part what;
    double work_s;
  };
  /// An execution thread.
  struct worker : job {
    explicit worker(execution_thread& t) : job(kind_type::step), thread(t) {}
    execution_thread& thread;
    std::deque<task> sends;  ///< before it goes on
    double step_s = 0;       ///< kernels of the step so far, on the reference core
    double measured_s = 0;   ///< of them, CPU seconds here
    double computed_s = 0;   ///< ever
    bool idle = false;
    bool woken = false;
    bool over = false;  ///< its loop has ended
  };
  struct message {
    node_id from = 0;
    node_id to = 0;
    worker* sender = nullptr;  ///< which copies it; else the node's I/O thread does
    std::uint64_t bytes = 0;
    envelope_ptr object;
    std::unique_ptr<control> control_message;
    std::vector<std::uint32_t> followers = {};  ///< control messages that come after this object
    bool transferred = false;
    bool sender_done = true;    ///< has copied all
    bool receiver_done = true;  ///< has copied all but the last piece
  };
  /// What a node's I/O thread does, one message after another.
  struct io_thread : job {
    io_thread() : job(kind_type::message) {}
    std::deque<task> tasks;
    node_id node = 0;
    bool busy = false;
  };
  struct virtual_node {
    virtual_node(node_id number, std::unique_ptr<sim::processor> with) : processor(std::move(with)) {
      io.node = number;
    }
    std::unique_ptr<thread_manager> manager;
    std::size_t launches = 0;
    double computed_s = 0;      ///< by kernels since it sent a message
    double cooled = 0;          ///< how cold a pause has left the caches since it sent a message, 0 to 1
    double moved_bytes = 0;     ///< by messages since the last kernel
    double last_message_s = 0;  ///< when it last did something for a message
    std::unique_ptr<sim::processor> processor;
    io_thread io;
    double taken_since_s = 0;
    double taken = 0;
    double communication_s = 0;
  };
  /// From one node to another, if platforms tell how much it holds.
  struct connection {
    std::deque<std::uint32_t> waiting;  ///< objects behind the one that crosses the network
    bool carries = false;               ///< one does
    double held_bytes = 0;              ///< of both
    bool full = false;                  ///< the last object is copied, and in transfer until there is room
  };
  struct timer {
    double at_s;
    std::uint64_t sequence;
    enum class kind_type : std::uint8_t { control_arrives, node_is_launched } kind;
    std::uint32_t what;
    bool operator>(timer const& o) const { return at_s != o.at_s ? at_s > o.at_s : sequence > o.sequence; }
  };
  /// What has come due at this instant.
  struct due {
    std::uint64_t sequence;
    std::variant<job*, std::uint32_t, timer> what;  ///< a job has ended; a transfer has; a timer
  };

  void make_node(node_id number, double speed_factor, double place);

  bool advance();
  bool let_in_held();
  void take_ready();
  void handle(due& event);
  void enter(worker& w);
  void compute(virtual_node& on, job& j, double work_s);
  void update_processors();
  void update_taken(node_id number);
  void set_timer(double after_s, timer::kind_type kind, std::uint32_t what);
  std::uint32_t keep(message m);
  void send(std::uint32_t number);
  void finish_sends(worker& w);
  void transfer_ended(std::uint32_t number);
  void process(node_id where, std::uint32_t number, part what, double work_s);
  void processed(std::uint32_t number, part what);
  void begin_transfer(std::uint32_t number);
  void enter_network(std::uint32_t number);
  void leave_connection(message const& left);
  void copied(std::uint32_t number);
  void sent(node_id from, node_id to);
  void part_ended(std::uint32_t number);
  void work_on(io_thread& io);
  void io_ended(io_thread& io);
  void deliver(std::uint32_t number);
  double piece_of(message const& m) const;
  double rest_of(message const& m) const;
  double coldness(double computed_s) const;
  double send_cost_s(message const& m);
  double wake_s(node_id node);
  void make_manager(node_id node, bool joins_later);

  platform const& platform_;
  program const& program_;
  kernel_times& kernels_;
  node_settings const settings_;
  std::unique_ptr<net::network> network_;
  execution_mode const mode_;
  double const host_speed_;
  bool thread_per_core_ = false;
  bool no_alloc_ = false;

  double now_s_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<std::unique_ptr<virtual_node>> nodes_;
  std::vector<std::unique_ptr<thread_manager>> retired_;  ///< of nodes that were released
  std::deque<worker> workers_;
  std::vector<worker*> ready_;
  std::vector<host_core> host_cores_;  ///< if several nodes share one
  event_heap processors_;              ///< when something happens next on each node's processor
  std::vector<node_id> changed_;
  std::vector<timer> timers_;  ///< a heap, the first in front
  std::vector<message> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<std::uint64_t> message_sequence_;
  std::map<std::pair<node_id, node_id>, std::uint32_t> in_transfer_;  ///< by source and destination: what began last
  std::map<std::pair<node_id, node_id>, connection> connections_;     ///< by source and destination
  std::vector<due> due_;
  worker* current_ = nullptr;
  double entered_cpu_s_ = 0;
  std::optional<failure> failure_;
  std::optional<std::mt19937_64> shuffled_;
};

}  // namespace ovlp::sim
