// SPDX-License-Identifier: BSD-3-Clause
#include "network.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/secret.hpp>
#include <ovlp/runtime/internal/cluster_link.hpp>
#include <ovlp/runtime/internal/coordinator.hpp>
#include <ovlp/runtime/internal/handlers.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>

#include "descriptors.hpp"
#include "launch/launcher.hpp"
#include "listen_address.hpp"
#include "mpi/mpi_processes.hpp"
#include "mpi/mpi_transport.hpp"
#include "tcp_transport.hpp"

namespace ovlp::real {
namespace {

constexpr std::chrono::seconds stop_patience{5};
constexpr std::chrono::seconds failed_patience{1};  // nobody waits for results any more

/// In what all processes must agree. The command line comes first: what else differs may follow from it.
facts agreed(program const& known, real_options const& options) {
  if (options.nodes == 1) return {};
  facts all = options.facts;
  std::ranges::move(known.facts(options.nodes), std::back_inserter(all));
  return all;
}

/// Of node 0: where it lives, or where the options say.
tcp_transport::settings settings_of_node_0(real_options const& options, std::string secret) {
  tcp_transport::settings made{0, options.nodes, std::move(secret), "127.0.0.1", "127.0.0.1"};
  if (!options.where().local()) {
    made.host = options.where().hosts[0].address;
    made.listen = options.where().any_address(0);
  }
  if (!options.listen.empty()) {
    made.host = listen_address::parse(options.listen).address;
    made.listen = options.listen;
  }
  return made;
}

}  // namespace

network::network(reactor& reactor, world& world, thread_manager& manager, program const& known,
                 real_options const& options, statistics_sink& statistics, double capacity, bool own_quota,
                 std::optional<ticket> const& given)
    : reactor_(reactor),
      world_(world),
      manager_(manager),
      options_(options),
      ticket_(given),
      self_(manager.self()),
      secret_(given ? given->secret : base::make_secret()),
      run_([this](failure const& what) { fail(what); }),
      transport_(make_transport(known)),
      members_(*transport_, run_, self_, options.nodes, capacity, agreed(known, options),
               [&world] { return world.now_s(); }),
      launches_(given ? nullptr
                      : std::make_unique<launches>(*transport_, members_, run_, options, secret_,
                                                   manager.settings().start_s, make_processes(), errors_)),
      liveness_(reactor, *transport_, members_, run_, launches_.get(), self_, options.peer_timeout_s),
      stalls_(*transport_, members_, run_, manager, counts_),
      statistics_(reactor, *transport_, members_, run_, world, statistics, own_quota),
      timer_(reactor.context()),
      capacities_(options.nodes, 0) {
  capacities_[self_] = capacity;
  reactor_.when_looking([this] { flush(); });
}

std::unique_ptr<transport> network::make_transport(program const& known) {
  observer& reports = *this;
  mpi_session* const mpi = options_.mpi();
  if (mpi != nullptr) return std::make_unique<mpi_transport>(reactor_, known, self_, options_.nodes, *mpi, reports);
  tcp_transport::settings settings =
      ticket_ ? tcp_transport::settings{self_, ticket_->nodes, secret_, ticket_->host, ticket_->listen}
              : settings_of_node_0(options_, secret_);
  settings.shared_memory = options_.transport != "tcp";
  return std::make_unique<tcp_transport>(reactor_, known, settings, errors_, reports);
}

std::unique_ptr<node_processes> network::make_processes() {
  if (mpi_session* const mpi = options_.mpi())
    return std::make_unique<mpi_processes>(reactor_, *transport_, *mpi, options_.nodes);
  return std::make_unique<launcher>(reactor_, out_, errors_);
}

network::~network() {
  reactor_.when_looking({});
  auto const lead = reactor_.lead();
  reactor_.on_error({});
}

void network::fail_on_errors() {
  reactor_.on_error(
      [this](std::exception const& thrown) { fail(network_failure(node_name(self_) + ": " + explained(thrown))); });
}

// Node 0

void network::begin() {
  reactor_.run([this] {
    fail_on_errors();
    tick();
  });
  liveness_.start();
}

void network::launch_all(std::set<node_id> const& nodes) {
  if (nodes.empty()) return;
  reactor_.run([&] { launches_->launch(nodes, false); });
  world_.block_main([this] { return failed() || members_.all_joined(); });
}

void network::launch(node_id node) {
  boost::asio::post(reactor_.context(), [this, node] {
    try {
      launches_->launch({node}, true);
    } catch (error const& wrong) {
      fail(network_failure(wrong.what()));
    }
  });
}

void network::release(node_id node) {
  boost::asio::post(reactor_.context(), [this, node] {
    members_.leave(node);
    statistics_.expect_goodbye(node);
    launches_->release(node);
    transport_->send(node, stop{0});
  });
}

void network::finish(bool all_calls_have_ended) {
  if (run_.finishing()) return;
  bool const was_cut_short = failed().has_value();
  reactor_.run([this] {
    run_.finish();
    timer_.cancel();
    transport_->stop_accepting();
    stop_all(0);
  });
  if (!launches_) {
    // This process has been launched itself, and could not join.
  } else if (was_cut_short) {
    launches_->finish(failed_patience, {}, {});
  } else if (all_calls_have_ended) {
    auto const works = [this](node_id node) { return liveness_.has_sent_lately(node); };
    launches_->finish(stop_patience, works, [this](node_id node) {
      fail_at_exit(options_.application, node_name(node) +
                                             " is killed: the run is over, and it neither ends nor says "
                                             "that it lives; what it still did is lost");
    });
    for (auto const& [node, how] : launches_->bad_ends()) {
      fail_at_exit(options_.application, node_name(node) + ": its process " + how + ", at the end of the run");
    }
  } else {
    launches_->finish(stop_patience, {}, [this](node_id node) {
      errors_->print("ovlp: " + node_name(node) + " is killed: it works for a call that nobody waits for");
    });
  }
  liveness_.stop();
  auto const lead = reactor_.lead();
  transport_->close();
  reactor_.context().poll();  // handlers of what was closed
}

void network::stop_all(int status) {
  for (node_id node : members_.all()) transport_->send(node, stop{status});
  members_.leave_all();
}

// A launched node

int network::serve() {
  reactor_.run([this] {
    fail_on_errors();
    transport_->accept();
    if (options_.mpi() == nullptr) liveness_.watch_driver();
    members_.join({0, ticket_->driver_host, ticket_->driver_port});
    try {
      need_descriptors(transport_->descriptors(ticket_->nodes), self_);
    } catch (network_error const& wrong) {
      run_.keep(network_failure(wrong.what()));
    }
    if (auto const early = failed()) transport_->send(0, failure_report{*early});
    liveness_.start();
    tick();
  });
  int status = 0;
  world_.block_main([&] {
    scoped_lock const lock(mutex_);
    if (stop_status_) status = *stop_status_;
    return stop_status_.has_value();
  });
  return status;
}

void network::say_goodbye() {
  // A socket that is closed with unread bytes drops what it has sent, so each side reads until the other has closed.
  auto const until = std::chrono::steady_clock::now() + stop_patience;
  reactor_.run([this] {
    timer_.cancel();
    transport_->stop_accepting();
    for (node_id node : members_.all()) {
      transport_->send(node, node == 0 ? goodbye{counts_.sent, counts_.received, statistics_.take_all()} : goodbye{});
    }
    transport_->finish_sending();
  });
  for (bool open = true; open && std::chrono::steady_clock::now() < until;) {
    ::usleep(500);
    reactor_.run([&] { open = transport_->any_connected(); });
  }
}

// Sending

bool network::send(node_id to, std::unique_ptr<outgoing> message, sending when) {
  ++counts_.sent;
  bool const taken = transport_->send(to, std::move(message), when);
  if (when == sending::with_others) reactor_.look_soon();  // which flushes, whatever operations do
  return taken;
}

// Receiving

void network::handle_hello(hello const& from) {
  manager_.node_renewed(from.node);
  members_.handle_hello(from);
}

void network::handle_message(node_id from, incoming& message) {
  if (auto* const about_processes = std::get_if<service>(&message.message)) {
    handle_service(from, *about_processes);
    return;
  }
  ++counts_.received;
  if (manager_.stopping()) return;
  if (auto* const object = std::get_if<envelope_ptr>(&message.message)) {
    manager_.receive(from, std::move(*object));
  } else {
    manager_.receive(from, std::get<control>(message.message));
  }
}

void network::handle_service(node_id from, service& message) {
  std::visit(
      handlers{[&](hello const&) {},      // the transport's
               [&](heartbeat const&) {},  // something has come: that is all it says
               [&](welcome const& m) { handle_welcome(m); }, [&](accepted const&) { members_.handle_accepted(from); },
               [&](ready const& m) { handle_ready(from, m.capacity); }, [&](stop const& m) { handle_stop(m); },
               [&](goodbye& m) { handle_goodbye(from, m); }, [&](failure_report const& m) { fail(m.what); },
               [&](peer_lost const& m) { liveness_.handle_peer_lost(from, m); },
               [&](probe const& m) { stalls_.handle_probe(m); },
               [&](probe_answer const& m) { stalls_.handle_probe_answer(from, m); },
               [&](waiting_request const&) { stalls_.handle_waiting_request(); },
               [&](waiting_answer const& m) { stalls_.handle_waiting_answer(from, m); },
               [&](statistics_request const& m) { statistics_.handle_request(m); },
               [&](statistics_answer& m) { statistics_.handle_answer(from, std::move(m)); },
               [&](facts_request const&) { members_.handle_facts_request(from); },
               [&](facts_answer const& m) { members_.handle_facts(from, m.all); }},
      message);
}

void network::handle_welcome(welcome const& message) {
  if (!ticket_) return;  // node 0 welcomes others
  double const now_s = world_.now_s();
  bool const same_clock = !ticket_->clock.empty() && ticket_->clock == base::monotonic_clock_name();
  if (!same_clock) world_.correct_clock(members_.behind_driver_s(message, now_s));
  members_.handle_welcome(message);
}

void network::handle_ready(node_id from, double capacity) {
  {
    scoped_lock const lock(mutex_);
    capacities_.at(from) = capacity;
  }
  // Before the main program, which waits for the nodes of the start, may go on: it records these itself.
  manager_.coordinator().node_joined(from);
  members_.handle_ready(from);
  world_.notify_main();
}

void network::handle_stop(stop const& message) {
  run_.finish();
  {
    scoped_lock const lock(mutex_);
    stop_status_ = message.status;
  }
  world_.notify_main();
}

void network::handle_goodbye(node_id from, goodbye const& message) {
  members_.leave(from);
  stalls_.handle_goodbye(message);
  statistics_.handle_goodbye(from, message);
}

std::vector<double> network::capacities() {
  scoped_lock const lock(mutex_);
  return capacities_;
}

// What goes wrong

void network::handle_lost(node_id node, std::string const& how, bool silent) {
  bool const was_to_go = members_.leaving(node) && !statistics_.awaits_goodbye(node);
  if (!run_.finishing() && !was_to_go) liveness_.handle_lost(node, how, silent);
  statistics_.handle_gone(node);  // after the failure, or figures would seem complete
  if (launches_ && launches_->is_next(node) && was_to_go) launch(node);
}

void network::handle_cannot_accept(std::string const& why) {
  std::string const text = node_name(self_) + " cannot accept connections: " + why;
  if (!members_.joining().empty()) {
    fail(network_failure(text));
  } else if (!std::exchange(reported_that_none_can_connect_, true)) {
    errors_->print("ovlp: " + text);
  }
}

void network::fail(failure const& what) {
  if (self_ == 0) {
    if (run_.finishing() || !run_.keep(what)) return;
    manager_.stop();
    boost::asio::post(reactor_.context(), [this] { stop_all(1); });
    world_.notify_main();
  } else {
    run_.keep(what);  // reported when we join, if we have not yet
    if (transport_->connected(0)) transport_->send(0, failure_report{what});
    manager_.stop();
  }
}

// Watching

void network::tick() {
  liveness_.tick();
  transport_->tick();
  if (launches_) {
    std::set<node_id> const gone = launches_->tick(manager_.coordinator().any_leaves());
    if (options_.server) options_.server->gone(gone, world_.now_s());
    stalls_.tick(world_.main_is_blocked() && manager_.open_requests() > 0 && members_.joining().empty() &&
                 !launches_->any_waits());
  }
  if (run_.finishing()) return;
  timer_.expires_after(liveness::tick_period);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) tick();
  });
}

}  // namespace ovlp::real
