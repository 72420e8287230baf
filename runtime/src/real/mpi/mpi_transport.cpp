// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::real {

mpi_transport::mpi_transport(reactor& reactor, program const& known, node_id self, std::size_t nodes,
                             mpi_session& session, observer& reports)
    : reactor_(reactor), known_(known), self_(self), session_(session), observer_(reports), peers_(nodes) {
  reactor_.poll_with([this] { return make_progress(); });
}

mpi_transport::~mpi_transport() { reactor_.poll_with({}); }

// Connecting

void mpi_transport::connect(peer_address const& to) {
  peer& p = peers_[to.node];
  p.finished = false;
  p.last_received = clock::now();
  p.connected = true;
  send(to.node, service(hello{"", self_, known_.fingerprint(peers_.size()), "", 0}));
}

bool mpi_transport::any_connected() const {
  return std::ranges::any_of(peers_, [](peer const& p) { return p.connected.load(); });
}

// Sending

bool mpi_transport::send(node_id to, std::unique_ptr<outgoing> message, sending) {
  peer& p = peers_[to];
  if (!p.connected) return true;
  p.last_sent = clock::now().time_since_epoch().count();
  bool const is_object = message->is_object();
  std::vector<std::span<std::byte const>> pieces;
  message->add_to(pieces, 0);
  std::size_t first_bulk = 0;
  for (std::size_t left = message->bytes() - message->bulk_bytes(); left > 0; ++first_bulk) {
    left -= pieces[first_bulk].size();
  }
  std::shared_ptr<outgoing> const keeps = std::move(message);
  std::uint64_t const key = session_.new_key();
  std::span const all(pieces);
  scoped_lock const lock(sending_);
  std::size_t missing = session_.send(all.first(first_bulk), to, mpi::tag::message, key, keeps) ? 0 : 1;
  for (std::size_t i = first_bulk; i < pieces.size(); ++i) {
    if (!session_.send(all.subspan(i, 1), to, mpi::tag::bulk, key, keeps)) ++missing;
  }
  if (missing > 0 && is_object) objects_.emplace(key, part_sent{to, missing});
  return missing == 0;
}

void mpi_transport::send_heartbeats(std::chrono::milliseconds period) {
  for (node_id n = 0; n < peers_.size(); ++n) {
    clock::time_point const last{clock::duration(peers_[n].last_sent)};
    if (peers_[n].connected && clock::now() - last >= period) send(n, service(heartbeat{}));
  }
}

// Progress, by who leads

bool mpi_transport::make_progress() {
  ended_.clear();
  session_.ended(ended_);
  for (std::uint64_t const key : ended_) handle_ended(key);
  auto const from = session_.take_message(inbox_);
  if (from) take(static_cast<node_id>(*from), inbox_);
  return from.has_value();
}

void mpi_transport::handle_ended(std::uint64_t key) {
  if (auto const received = receiving_.extract(key)) {
    auto const [from, message] = received.mapped();
    --message->missing;
    handle_whole(from);
    return;
  }
  node_id to = 0;
  {
    scoped_lock const lock(sending_);
    auto const sent = objects_.find(key);
    if (sent == objects_.end() || --sent->second.missing > 0) return;
    to = sent->second.to;
    objects_.erase(sent);
  }
  if (peers_[to].connected) observer_.handle_sent(to);
}

void mpi_transport::take(node_id from, std::span<std::byte const> bytes) {
  if (from >= peers_.size()) return;
  peer& p = peers_[from];
  p.last_received = clock::now();
  if (bytes.empty()) {
    if (p.connected) lose(from, "the connection was closed", false);
    return;
  }
  try {
    frame_header header{};
    if (bytes.size() < sizeof header) throw decode_error("a message that is too short");
    std::memcpy(&header, bytes.data(), sizeof header);
    check(header, peer_limits);
    if (bytes.size() != sizeof header + header.inline_bytes)
      throw decode_error("a message of another size than it says");
    auto const whole = std::make_shared<half_read>(half_read{decode(header, bytes.subspan(sizeof header), known_), 0});
    whole->missing = whole->message.bulk.size();
    for (std::span<std::byte> const& piece : whole->message.bulk) {
      std::uint64_t const key = session_.new_key();
      receiving_.emplace(key, std::pair{from, whole.get()});
      session_.receive(piece, from, key, whole);
    }
    p.coming.push_back(whole);
    handle_whole(from);
  } catch (ovlp::error const& wrong) {
    lose(from, std::string("sent ") + wrong.what(), false);
  }
}

/// Messages are handled in the order of their coming.
void mpi_transport::handle_whole(node_id from) {
  auto& coming = peers_[from].coming;
  while (!coming.empty() && coming.front()->missing == 0) {
    std::shared_ptr<half_read> const first = std::move(coming.front());
    coming.pop_front();
    handle(from, first->message);
  }
}

void mpi_transport::handle(node_id from, incoming& message) {
  peer& p = peers_[from];
  if (auto* const about = std::get_if<service>(&message.message)) {
    if (auto const* const said = std::get_if<hello>(about)) {
      if (said->node != from || !observer_.expects(from)) return;
      p.finished = false;
      p.connected = true;
      observer_.handle_hello(*said);
      return;
    }
  }
  if (p.connected) observer_.handle_message(from, message);
}

// Closing

/// What has not come of a message is received all the same, into memory that lives as long.
void mpi_transport::lose(node_id node, std::string const& how, bool silent) {
  finish_sending(node);
  peers_[node].connected = false;
  observer_.handle_lost(node, how, silent);
}

void mpi_transport::give_up(node_id node, std::string const& why) { lose(node, why, true); }

void mpi_transport::finish_sending(node_id node) {
  peer& p = peers_[node];
  if (!p.connected || std::exchange(p.finished, true)) return;
  scoped_lock const lock(sending_);
  session_.send({}, node, mpi::tag::message, session_.new_key(), nullptr);
}

void mpi_transport::finish_sending() {
  for (node_id n = 0; n < peers_.size(); ++n) finish_sending(n);
}

void mpi_transport::close() {
  finish_sending();
  for (peer& p : peers_) p.connected = false;
}

}  // namespace ovlp::real
