// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/steady_timer.hpp>

#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "launch/launches.hpp"
#include "launch/ticket.hpp"
#include "liveness.hpp"
#include "membership.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_state.hpp"
#include "stall_detector.hpp"
#include "statistics_collector.hpp"
#include "transport.hpp"
#include "world.hpp"

namespace ovlp::real {

/// This process among those of the run: owns what keeps them together, and gives each message to whom it concerns.
/// Thread: the reactor, except where said.
class network final : private transport::observer {
 public:
  /// `capacity`: of this node, in cores. `given`: in a process that node 0 has launched.
  network(reactor& reactor, world& world, thread_manager& manager, program const& known, real_options const& options,
          statistics_sink& statistics, double capacity, bool own_quota, std::optional<ticket> const& given);
  ~network() override;

  // Node 0, from the main thread.
  /// From now on the run is watched.
  void begin();
  /// Launches processes and waits until they have joined. Errors: network_error, config_error.
  void launch_all(std::set<node_id> const& nodes);
  /// The figures of a call from all nodes.
  call_statistics collect(std::uint64_t call) { return statistics_.collect(call); }
  /// Cores of each node, as its process has said when it joined last; 0: none has.
  std::vector<double> capacities();
  /// Ends all processes and waits for them: if all calls have ended, as long as they say that they still work.
  void finish(bool all_calls_have_ended);

  // A launched node, from its main thread.
  /// Joins, then serves until the run ends. Returns the exit status.
  int serve();
  /// Sends what is still to be sent, and closes.
  void say_goodbye();

  // Thread: any.
  /// What ended the run, if something did.
  std::optional<failure> failed() const { return run_.failed(); }
  /// An object or a control message. Returns whether the transport has taken it; else, of an object,
  /// thread_manager::sent follows.
  bool send(node_id to, std::unique_ptr<outgoing> message, sending when);
  /// Sends what has been kept to go with others.
  void flush() { transport_->flush(); }
  void launch(node_id node);
  void release(node_id node);
  void fail(failure const& what);

 private:
  std::unique_ptr<transport> make_transport(program const& known);
  std::unique_ptr<node_processes> make_processes();

  bool expects(node_id node) const override { return members_.expects(node); }
  std::size_t expected() const override { return members_.expected(); }
  void handle_hello(hello const& from) override;
  void handle_message(node_id from, incoming& message) override;
  void handle_sent(node_id to) override { manager_.sent(to); }
  void handle_lost(node_id node, std::string const& how, bool silent) override;
  void handle_cannot_accept(std::string const& why) override;

  void handle_service(node_id from, service& message);
  void handle_welcome(welcome const& message);
  void handle_ready(node_id from, double capacity);
  void handle_stop(stop const& message);
  void handle_goodbye(node_id from, goodbye const& message);

  void fail_on_errors();
  void tick();
  void stop_all(int status);

  reactor& reactor_;
  world& world_;
  thread_manager& manager_;
  real_options const& options_;
  std::optional<ticket> const ticket_;  ///< of a launched node
  node_id const self_;
  std::string const secret_;  ///< of this run
  message_counts counts_;
  run_state run_;
  std::shared_ptr<output> const out_ = std::make_shared<output>(stdout);
  std::shared_ptr<output> const errors_ = std::make_shared<output>(stderr);
  std::unique_ptr<transport> const transport_;
  membership members_;
  std::unique_ptr<launches> const launches_;  ///< on node 0
  liveness liveness_;
  stall_detector stalls_;
  statistics_collector statistics_;
  boost::asio::steady_timer timer_;
  bool reported_that_none_can_connect_ = false;

  mutex mutex_;
  std::vector<double> capacities_ OVLP_GUARDED_BY(mutex_);
  std::optional<int> stop_status_ OVLP_GUARDED_BY(mutex_);  ///< of a launched node, once node 0 has ended it
};

}  // namespace ovlp::real
