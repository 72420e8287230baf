// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../reactor.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "../transport.hpp"
#include "mpi_session.hpp"

namespace ovlp::real {

/// Processes that MPI joins: node n is process n. To connect is to send a hello, to close is to send an empty message.
///
/// A message's header and inline part are one message of MPI; its large buffers follow with a tag of their own, from
/// where they are to where they stay, in pieces. So does a large inline part, and the first message is the header
/// alone. Whoever leads the reactor makes progress.
class mpi_transport final : public transport, private looked_at {
 public:
  mpi_transport(reactor& reactor, program const& known, node_id self, std::size_t nodes, mpi_session& session,
                observer& reports);
  ~mpi_transport() override;

  peer_address accept() override { return {self_, "", 0}; }
  void stop_accepting() override {}
  std::size_t descriptors(std::size_t) const override { return 0; }
  void connect(peer_address const& to, std::uint64_t fingerprint) override;
  bool connected(node_id node) const override { return peers_[node].connected; }
  bool any_connected() const override;
  using transport::send;
  bool send(node_id to, std::unique_ptr<outgoing> message, sending when) override;
  void flush() override {}
  void send_heartbeats(std::chrono::milliseconds period) override;
  clock::time_point last_received(node_id from) const override { return peers_[from].last_received; }
  void tick() override {}
  void give_up(node_id node, std::string const& why) override { lose(node, why, true); }
  void finish_sending() override;
  void close() override;

 private:
  /// A message of which parts may not have come.
  struct half_read {
    frame_header header{};
    std::vector<std::byte> inline_part;  ///< if it comes in pieces
    std::optional<incoming> message;     ///< once that is here; none then: the end of what is sent
    std::size_t missing = 0;             ///< pieces
  };
  struct piece {
    std::span<std::byte> into;
    std::shared_ptr<half_read> of;
  };
  struct peer {
    std::atomic<bool> connected{false};
    bool finished = false;  ///< we send no more
    std::atomic<clock::rep> last_sent{0};
    clock::time_point last_received{};
    std::deque<mpi_session::arrival> arrived;       ///< messages of MPI, in their order
    std::deque<std::shared_ptr<half_read>> coming;  ///< what these began, in their order
    std::deque<piece> pieces;                       ///< of those, that MPI does not know of yet
    std::size_t pieces_bytes = 0;                   ///< of those that it does
  };

  bool look() override;
  bool sleep() override { return false; }
  void awake() override {}
  void handle_ended(std::uint64_t key);
  void handle_piece(node_id from, piece const& part);
  void advance(node_id from);
  std::shared_ptr<half_read> begin(peer& p, std::span<std::byte const> bytes);
  void read(peer& p, std::shared_ptr<half_read> const& whole, std::span<std::byte const> inline_part);
  static void await(peer& p, std::shared_ptr<half_read> const& whole, std::span<std::byte> part);
  void receive_next(node_id from);
  void handle(node_id from, incoming& message);
  void finish_sending(node_id node);
  void lose(node_id node, std::string const& how, bool silent);

  reactor& reactor_;
  program const& known_;
  node_id const self_;
  mpi_session& session_;
  observer& observer_;
  std::vector<peer> peers_;  ///< by node
  std::unordered_map<std::uint64_t, std::pair<node_id, piece>> receiving_;
  std::unordered_map<std::uint64_t, node_id> arriving_;  ///< from whom
  std::vector<std::uint64_t> ended_;

  mutex sending_;  ///< the parts of a message go one after the other
  /// An object of which parts have not been sent.
  struct part_sent {
    node_id to;
    std::size_t missing;
  };
  std::unordered_map<std::uint64_t, part_sent> objects_ OVLP_GUARDED_BY(sending_);  ///< by key
};

}  // namespace ovlp::real
