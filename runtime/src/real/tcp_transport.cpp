// SPDX-License-Identifier: BSD-3-Clause
#include "tcp_transport.hpp"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include <boost/asio/connect.hpp>

#include <ovlp/base/error.hpp>

#include "descriptors.hpp"

namespace ovlp::real {
namespace {

using boost::asio::ip::tcp;

constexpr std::chrono::seconds slow_after{1};  // nothing has come for so long, though each node sends heartbeats

/// Whether the other process may be on this machine.
bool is_near(tcp::socket const& socket) {
  boost::system::error_code error;
  auto const other = socket.remote_endpoint(error);
  return !error && other.address().is_loopback();
}

}  // namespace

tcp_transport::tcp_transport(reactor& reactor, program const& known, settings given, std::shared_ptr<output> errors,
                             observer& reports)
    : reactor_(reactor),
      known_(known),
      settings_(std::move(given)),
      observer_(reports),
      // Node 0 connects to nobody. A ring has a descriptor until the other process has it, too.
      offers_rings_(settings_.shared_memory && settings_.self != 0 &&
                    can_open(2 * settings_.nodes + listener::most_strangers)),
      listener_(reactor, known, settings_.secret, std::move(errors),
                {[this] { return observer_.expected(); },
                 [this](hello const& from, tcp::socket& socket) { return handle_introduced(from, socket); },
                 [this](std::string const& why) { observer_.handle_cannot_accept(why); }}) {
  for (node_id node = 0; node < settings_.nodes; ++node) connections_.push_back(make_connection(node));
  if (settings_.shared_memory && settings_.nodes > 1) reactor_.look_at(this);
}

tcp_transport::~tcp_transport() {
  if (settings_.shared_memory && settings_.nodes > 1) reactor_.look_at(nullptr);
}

std::shared_ptr<connection> tcp_transport::make_connection(node_id node) {
  return std::make_shared<connection>(
      reactor_, known_,
      connection::handlers{[this, node](incoming& message) { observer_.handle_message(node, message); },
                           [this, node] { observer_.handle_sent(node); },
                           [this, node](std::string const& how) { handle_lost(node, how, false); }});
}

// Connecting

peer_address tcp_transport::accept() {
  if (!listener_.listening()) listener_.listen(settings_.listen);
  return {settings_.self, settings_.host, listener_.port()};
}

void tcp_transport::connect(peer_address const& to, std::uint64_t fingerprint) {
  peer_address const own = accept();
  tcp::resolver resolver(reactor_.context());
  tcp::socket socket(reactor_.context());
  boost::system::error_code error;
  auto const found = resolver.resolve(to.host, std::to_string(to.port), error);
  if (!error) boost::asio::connect(socket, found, error);
  if (error)
    throw network_error("cannot connect to " + to.host + ", port " + std::to_string(to.port) + ": " + error.message());
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  auto ring = offers_rings_ && is_near(socket) ? shared_ring::make() : nullptr;
  hello const first{settings_.secret, own.node, fingerprint,
                    own.host,         own.port, ring ? ring->where() : shared_ring::place{}};
  open(to.node, std::move(socket), std::move(ring), std::make_unique<outgoing>(service(first)));
}

std::optional<std::string> tcp_transport::handle_introduced(hello const& from, tcp::socket& socket) {
  if (from.node >= settings_.nodes || from.node == settings_.self || !observer_.expects(from.node))
    return "it says that it is " + node_name(from.node) + ", which is not expected";
  if (connected(from.node)) {
    early_.insert_or_assign(from.node, newcomer{from, std::move(socket)});
  } else {
    take_in(from, std::move(socket));
  }
  return std::nullopt;
}

void tcp_transport::take_in(hello const& from, tcp::socket socket) {
  auto ring = settings_.shared_memory && is_near(socket) ? shared_ring::map(from.ring) : nullptr;
  open(from.node, std::move(socket), std::move(ring), nullptr);
  observer_.handle_hello(from);
}

void tcp_transport::open(node_id node, tcp::socket socket, std::unique_ptr<shared_ring> ring,
                         std::unique_ptr<outgoing> first) {
  connection& opened = *connections_[node];
  bool const has_ring = ring != nullptr;
  opened.open(std::move(socket), std::move(ring), std::move(first));
  if (has_ring && std::ranges::find(with_ring_, &opened) == with_ring_.end()) with_ring_.push_back(&opened);
}

bool tcp_transport::any_connected() const {
  return std::any_of(connections_.begin(), connections_.end(), [](auto const& c) { return !c->closed(); });
}

// Connected

bool tcp_transport::send(node_id to, std::unique_ptr<outgoing> message, sending when) {
  connection::fate const fate = connections_[to]->send(std::move(message), when);
  if (fate == connection::fate::kept) {
    scoped_lock const lock(keeping_mutex_);
    if (std::find(keeping_.begin(), keeping_.end(), to) == keeping_.end()) keeping_.push_back(to);
    any_keeps_ = true;
  }
  return fate != connection::fate::waiting;
}

void tcp_transport::flush() {
  if (!any_keeps_) return;
  std::vector<node_id> all;
  {
    scoped_lock const lock(keeping_mutex_);
    all.swap(keeping_);
    any_keeps_ = false;
  }
  for (node_id node : all) connections_[node]->flush();
}

void tcp_transport::send_heartbeats(std::chrono::milliseconds period) {
  for (auto const& c : connections_) {
    if (!c->closed()) c->heartbeat(period);
  }
}

void tcp_transport::tick() {
  for (auto const& c : connections_) {
    if (!c->closed() && clock::now() - c->last_received() > slow_after) c->read_little();
  }
  listener_.tick();
}

// Rings

bool tcp_transport::look() {
  bool any = false;
  for (std::size_t i = 0; i < with_ring_.size(); ++i) any |= with_ring_[i]->take_from_ring();  // which may bring more
  return any;
}

bool tcp_transport::sleep() {
  std::erase_if(with_ring_, [](connection* c) { return !c->has_ring(); });
  for (connection* c : with_ring_) c->ring_sleeps();
  return true;
}

void tcp_transport::awake() {
  for (connection* c : with_ring_) {
    if (c->has_ring()) c->ring_is_awake();
  }
}

// Closing

void tcp_transport::handle_lost(node_id node, std::string const& how, bool silent) {
  if (auto const next = early_.extract(node)) {
    take_in(next.mapped().said, std::move(next.mapped().socket));
  } else {
    observer_.handle_lost(node, how, silent);
  }
}

void tcp_transport::give_up(node_id node, std::string const& why) {
  connections_[node]->close();
  handle_lost(node, why, true);
}

void tcp_transport::finish_sending() {
  for (auto const& c : connections_) {
    if (!c->closed()) c->finish_sending();
  }
}

void tcp_transport::close() {
  listener_.close();
  early_.clear();
  for (auto const& c : connections_) c->close();
}

}  // namespace ovlp::real
