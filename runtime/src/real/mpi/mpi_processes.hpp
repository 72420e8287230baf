// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../reactor.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../launch/node_processes.hpp"
#include "../transport.hpp"
#include "mpi_session.hpp"

namespace ovlp::real {

/// The processes that mpirun has started, as node 0 sees them: to launch a node is to give its process a ticket. What
/// they print, and how they end, is mpirun's.
class mpi_processes final : public node_processes {
 public:
  mpi_processes(reactor& reactor, transport const& network, mpi_session& session, std::size_t nodes)
      : reactor_(reactor), network_(network), session_(session), nodes_(nodes) {}

  void start(node_id node, std::vector<std::string> const&, std::string const& ticket) override {
    session_.send_ticket(node, ticket);
  }
  std::optional<std::string> ended(node_id) override { return std::nullopt; }
  std::string last_error(node_id) override { return ""; }
  void kill(node_id) override {}
  void release(node_id) override {}
  std::set<node_id> reap() override { return {}; }
  void finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
              std::function<void(node_id)> const& killed) override;
  std::vector<bad_end> const& bad_ends() const override { return none_; }

 private:
  reactor& reactor_;
  transport const& network_;
  mpi_session& session_;
  std::size_t const nodes_;
  std::vector<bad_end> const none_;
};

}  // namespace ovlp::real
