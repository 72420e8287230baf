// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <ovlp/base/error.hpp>

namespace ovlp::real {

/// Of header and inline part. A larger message is a second one all the same, when the receiver has been told of it.
constexpr std::size_t most_at_once = 64 * 1024;

mpi_transport::mpi_transport(reactor& reactor, program const& known, node_id self, std::size_t nodes,
                             mpi_session& session, observer& reports)
    : reactor_(reactor), known_(known), self_(self), session_(session), observer_(reports), peers_(nodes) {
  reactor_.look_at(this);
}

mpi_transport::~mpi_transport() { reactor_.look_at(nullptr); }

// Connecting

void mpi_transport::connect(peer_address const& to, std::uint64_t fingerprint) {
  peer& p = peers_[to.node];
  p.finished = false;
  p.last_received = clock::now();
  p.connected = true;
  send(to.node, service(hello{"", self_, fingerprint, "", 0}));
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
  std::vector<std::span<std::byte const>> pieces;  // the first is the header
  message->add_to(pieces, 0);
  std::size_t const inline_bytes = message->bytes() - message->bulk_bytes();
  std::size_t first_bulk = 0;
  for (std::size_t left = inline_bytes; left > 0; ++first_bulk) left -= pieces[first_bulk].size();
  std::shared_ptr<outgoing> const keeps = std::move(message);
  std::uint64_t const key = session_.new_key();
  std::size_t missing = 0;
  auto const send = [&](std::span<std::span<std::byte const> const> parts, mpi::tag what) {
    if (!session_.send(parts, to, what, key, keeps)) ++missing;
  };
  std::vector<std::span<std::byte const>> one;
  // In messages as the receiver expects them, whatever the places in memory.
  auto const send_cut = [&](std::span<std::span<std::byte const> const> parts) {
    std::size_t room = mpi::most_bytes;
    for (std::span<std::byte const> part : parts) {
      while (!part.empty()) {
        std::size_t const now = std::min(room, part.size());
        one.push_back(part.first(now));
        part = part.subspan(now);
        room -= now;
        if (room > 0) continue;
        send(one, mpi::tag::bulk);
        one.clear();
        room = mpi::most_bytes;
      }
    }
    if (!one.empty()) send(one, mpi::tag::bulk);
    one.clear();
  };
  std::span const all(pieces);
  scoped_lock const lock(sending_);
  if (inline_bytes <= most_at_once) {
    send(all.first(first_bulk), mpi::tag::message);
  } else {
    send(all.first(1), mpi::tag::message);
    send_cut(all.subspan(1, first_bulk - 1));
  }
  for (std::size_t i = first_bulk; i < all.size(); ++i) send_cut(all.subspan(i, 1));
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

bool mpi_transport::look() {
  ended_.clear();
  session_.ended(ended_);
  for (std::uint64_t const key : ended_) handle_ended(key);
  auto come = session_.take_message();
  if (!come) return false;
  auto const from = static_cast<node_id>(come->from);
  if (from >= peers_.size()) return true;
  if (come->key != 0) arriving_.emplace(come->key, from);
  peers_[from].arrived.push_back(std::move(*come));
  advance(from);
  return true;
}

void mpi_transport::handle_ended(std::uint64_t key) {
  if (auto const arrived = arriving_.extract(key)) {
    node_id const from = arrived.mapped();
    std::ranges::find(peers_[from].arrived, key, &mpi_session::arrival::key)->key = 0;
    advance(from);
    return;
  }
  if (auto const received = receiving_.extract(key)) {
    auto const& [from, part] = received.mapped();
    handle_piece(from, part);
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

/// Begins to read what has arrived, up to a message whose inline part is still to come: the pieces of those behind it
/// follow its own.
void mpi_transport::advance(node_id from) {
  peer& p = peers_[from];
  auto const reads = [&p] { return !p.coming.empty() && !p.coming.back()->inline_part.empty(); };
  while (!p.arrived.empty() && p.arrived.front().key == 0 && !reads()) {
    mpi_session::arrival const next = std::move(p.arrived.front());
    p.arrived.pop_front();
    p.last_received = clock::now();
    try {
      p.coming.push_back(begin(p, *next.bytes));
    } catch (ovlp::error const& wrong) {
      lose(from, std::string("sent ") + wrong.what(), false);
      return;
    }
    receive_next(from);
  }
  // Messages are handled in the order of their coming.
  while (!p.coming.empty() && p.coming.front()->missing == 0) {
    std::shared_ptr<half_read> const first = std::move(p.coming.front());
    p.coming.pop_front();
    if (first->message) {
      handle(from, *first->message);
    } else if (p.connected) {
      lose(from, "the connection was closed", false);
    }
  }
}

std::shared_ptr<mpi_transport::half_read> mpi_transport::begin(peer& p, std::span<std::byte const> bytes) {
  auto whole = std::make_shared<half_read>();
  if (bytes.empty()) return whole;
  frame_header& header = whole->header;
  if (bytes.size() < sizeof header) throw decode_error("a message that is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  check(header, peer_limits);
  std::size_t const inline_bytes = bytes.size() - sizeof header;
  if (inline_bytes == header.inline_bytes) {
    read(p, whole, bytes.subspan(sizeof header));
  } else if (inline_bytes == 0) {
    whole->inline_part.resize(header.inline_bytes);
    await(p, whole, whole->inline_part);
  } else {
    throw decode_error("a message of another size than it says");
  }
  return whole;
}

void mpi_transport::read(peer& p, std::shared_ptr<half_read> const& whole, std::span<std::byte const> inline_part) {
  whole->message = decode(whole->header, inline_part, known_);
  for (std::span<std::byte> const& part : whole->message->bulk) await(p, whole, part);
}

void mpi_transport::await(peer& p, std::shared_ptr<half_read> const& whole, std::span<std::byte> part) {
  for (; !part.empty(); ++whole->missing) {
    std::size_t const now = std::min(mpi::most_bytes, part.size());
    p.pieces.push_back({part.first(now), whole});
    part = part.subspan(now);
  }
}

/// MPI learns of so much at once that it need not wait for us, and not of more: it might copy all of it within a call.
void mpi_transport::receive_next(node_id from) {
  peer& p = peers_[from];
  while (!p.pieces.empty() && p.pieces_bytes < 2 * mpi::most_bytes) {
    piece const next = std::move(p.pieces.front());
    p.pieces.pop_front();
    p.pieces_bytes += next.into.size();
    std::uint64_t const key = session_.new_key();
    receiving_.emplace(key, std::pair{from, next});
    session_.receive(next.into, from, key, next.of);
  }
}

void mpi_transport::handle_piece(node_id from, piece const& part) {
  peer& p = peers_[from];
  p.last_received = clock::now();
  p.pieces_bytes -= part.into.size();
  half_read& whole = *part.of;
  if (--whole.missing == 0 && !whole.inline_part.empty()) {
    std::vector<std::byte> const inline_part = std::exchange(whole.inline_part, {});
    try {
      read(p, part.of, inline_part);
    } catch (ovlp::error const& wrong) {
      lose(from, std::string("sent ") + wrong.what(), false);
      return;
    }
  }
  receive_next(from);
  advance(from);
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
