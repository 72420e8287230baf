// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "connection.hpp"
#include "listener.hpp"
#include "output.hpp"
#include "shared_ring.hpp"
#include "transport.hpp"

namespace ovlp::real {

/// Processes joined by TCP: each pair has one connection, made by the one that joined later; on one machine with a ring
/// in shared memory.
class tcp_transport final : public transport, private looked_at {
 public:
  struct settings {
    node_id self = 0;
    std::size_t nodes = 1;
    std::string secret;  ///< of this run
    std::string host;    ///< of this node, as others reach it
    std::string listen;  ///< ADDRESS[:FIRST-LAST]
    bool shared_memory = true;
  };

  tcp_transport(reactor& reactor, program const& known, settings given, std::shared_ptr<output> errors,
                observer& reports);
  ~tcp_transport() override;

  peer_address accept() override;
  void stop_accepting() override { listener_.close(); }
  std::size_t descriptors(std::size_t more_nodes) const override { return more_nodes + listener::most_strangers; }
  void connect(peer_address const& to, std::uint64_t fingerprint) override;
  bool connected(node_id node) const override { return !connections_[node]->closed(); }
  bool any_connected() const override;
  using transport::send;
  bool send(node_id to, std::unique_ptr<outgoing> message, sending when) override;
  void flush() override;
  void send_heartbeats(std::chrono::milliseconds period) override;
  clock::time_point last_received(node_id from) const override { return connections_[from]->last_received(); }
  void tick() override;
  void give_up(node_id node, std::string const& why) override;
  void finish_sending() override;
  void close() override;

 private:
  struct newcomer {
    hello said;
    boost::asio::ip::tcp::socket socket;
  };

  bool look() override;
  bool sleep() override;
  void awake() override;

  std::shared_ptr<connection> make_connection(node_id node);
  void open(node_id node, boost::asio::ip::tcp::socket socket, std::unique_ptr<shared_ring> ring,
            std::unique_ptr<outgoing> first);
  std::optional<std::string> handle_introduced(hello const& from, boost::asio::ip::tcp::socket& socket);
  void take_in(hello const& from, boost::asio::ip::tcp::socket socket);
  void handle_lost(node_id node, std::string const& how, bool silent);

  reactor& reactor_;
  program const& known_;
  settings const settings_;
  observer& observer_;
  bool const offers_rings_;
  listener listener_;
  std::vector<std::shared_ptr<connection>> connections_;  ///< by node, for good: sending needs no lock to find one
  std::vector<connection*> with_ring_;                    ///< and some that had one
  mutex keeping_mutex_;
  std::vector<node_id> keeping_ OVLP_GUARDED_BY(keeping_mutex_);  ///< connections that may keep something
  std::atomic<bool> any_keeps_{false};
  std::map<node_id, newcomer> early_;  ///< by node: its next process, while its last one is still connected
};

}  // namespace ovlp::real
