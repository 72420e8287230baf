// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <ovlp/runtime/internal/mutex.hpp>
#include <ovlp/runtime/internal/statistics.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

#include "connection.hpp"
#include "launcher.hpp"
#include "options.hpp"
#include "output.hpp"
#include "ticket.hpp"
#include "world.hpp"

namespace ovlp::real {

/// The processes of a run and the connections between them: joining, leaving, losing.
///
/// Each pair of processes has one connection. A process shows the run's secret before anything else; until then it
/// is a stranger: few of them are kept, and their frames must be small. Every connection is heard at least once a
/// second.
/// Thread: the reactor, except where said.
class network final : public transport {
 public:
  /// Node 0.
  network(reactor& reactor, world& world, program const& known, real_options const& options,
          statistics_sink* statistics);
  /// A node that was launched.
  network(reactor& reactor, world& world, program const& known, real_options const& options,
          statistics_sink* statistics, ticket given);
  ~network() override;

  void use(thread_manager& manager) { manager_ = &manager; }

  // Node 0, from the main thread.
  /// From now on the run is watched.
  void begin();
  /// Launches processes and waits until they have joined. Errors: network_error, config_error.
  void launch_all(std::set<node_id> const& nodes);
  /// The figures of a call from all nodes.
  call_statistics collect(std::uint64_t call);
  /// Ends all processes and waits for them: if all calls have ended, as long as they say that they still work.
  void finish(bool all_calls_have_ended);
  /// A launched node: sends what is still to be sent, and closes.
  void say_goodbye();
  /// What ended the run, if something did. Thread: any.
  std::optional<failure> failed();

  /// A launched node, from its main thread: joins, then serves until the run ends. Returns the exit status.
  int serve();

  // transport; thread: any
  bool send(node_id to, envelope_ptr object) override;
  void send(node_id to, control const& message) override;
  void launch(node_id node) override;
  void release(node_id node) override;
  void fail(failure const& what) override;

 private:
  struct peer {
    std::shared_ptr<connection> link;
    peer_address address;
    bool said_hello = false;
    bool joined = false;
    bool leaving = false;
  };

  struct stranger {
    std::shared_ptr<connection> link;
    connection::clock::time_point since;
    std::optional<hello> early = {};  ///< of a node's next process, while we still hear its last one
  };

  void fail_on_errors();
  void listen(std::string const& where);
  void accept();
  void cannot_accept(std::string const& why);
  void make_room_for_stranger();
  void start_beating();
  std::shared_ptr<connection> connect(std::string const& host, std::uint16_t port);
  std::shared_ptr<connection> adopt(boost::asio::ip::tcp::socket socket);
  void greet(connection& link);
  void start_processes(std::set<node_id> const& nodes, bool join_later);
  void start_process(node_id node, bool joins_later);
  void welcome_when_all_are_here();

  void take(connection& from, incoming& message);
  void take_service(connection& from, node_id node, service const& message);
  void take_hello(connection& from, hello const& message);
  void lost(connection& link, std::string const& how, bool silent = false);
  void report_lost(node_id node, std::string const& how, bool silent);
  void drop_stranger(connection& link, std::string const& why);
  bool drop_oldest_stranger();
  std::optional<node_id> node_of(connection const& link) const;
  bool post(node_id to, std::unique_ptr<outgoing> message);
  void tell(node_id to, service const& message);
  void tell_driver(service const& message);
  [[noreturn]] void die(std::string const& why);
  void end_run(failure const& what);

  double clock_difference_s(double now_s) const;
  void tick();
  void watch_input();
  void look_for_stall();
  waiting_answer look_what_waits();
  void report_stall();

  reactor& reactor_;
  world& world_;
  program const& known_;
  real_options const& options_;
  statistics_sink* const statistics_;
  thread_manager* manager_ = nullptr;
  std::optional<ticket> ticket_;  ///< of a launched node
  node_id const self_;
  std::string secret_;
  cluster cluster_;

  boost::asio::ip::tcp::acceptor acceptor_;
  bool accepting_ = false;
  bool told_that_it_cannot_accept_ = false;
  std::size_t drops_told_ = 0;  ///< since the last tick
  std::size_t drops_untold_ = 0;
  std::string host_;
  boost::asio::steady_timer timer_;
  connection::clock::time_point last_tick_;
  std::map<connection const*, stranger> strangers_;
  std::vector<std::shared_ptr<connection>> retired_;  ///< closed; a send may still hold a pointer to one
  std::vector<std::atomic<connection*>> links_;       ///< by node; what sends look at
  std::map<node_id, peer> peers_;
  std::map<node_id, std::size_t> launches_;
  std::set<node_id> to_relaunch_;  ///< nodes wanted again while their last process says goodbye
  std::set<node_id> joining_;
  std::optional<failure> early_failure_;  ///< of a launched node, before it could tell
  std::set<node_id> to_connect_;          ///< of a joining node: peers that have not accepted it yet
  connection::clock::time_point joining_since_;
  std::shared_ptr<output> const out_ = std::make_shared<output>(stdout);
  std::shared_ptr<output> const errors_ = std::make_shared<output>(stderr);
  launcher launcher_;

  std::atomic<std::uint64_t> sent_{0};  ///< objects and control messages, ever
  std::atomic<std::uint64_t> received_{0};
  std::uint64_t departed_sent_ = 0;
  std::uint64_t departed_received_ = 0;

  // Stall detection, on node 0.
  std::uint64_t wave_ = 0;
  std::map<node_id, probe_answer> answers_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> quiet_;  ///< sent and received in the last passive wave
  std::map<node_id, waiting_answer> waiting_;
  bool reporting_ = false;

  mutex told_main_;  ///< guards what the main thread waits for
  std::optional<failure> failure_ OVLP_GUARDED_BY(told_main_);
  std::map<node_id, call_statistics> figures_ OVLP_GUARDED_BY(told_main_);
  /// By call, of nodes that have been released.
  std::map<std::uint64_t, call_statistics> departed_figures_ OVLP_GUARDED_BY(told_main_);
  std::optional<int> stop_status_ OVLP_GUARDED_BY(told_main_);
  std::atomic<bool> finishing_{false};
  boost::asio::posix::stream_descriptor input_;
  std::array<char, 64> input_bytes_{};
  std::jthread beating_;  ///< says to the others that this process lives, whatever the reactor does
};

}  // namespace ovlp::real
