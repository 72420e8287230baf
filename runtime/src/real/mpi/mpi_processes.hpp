// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../reactor.hpp"

#include <chrono>
#include <functional>
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
  void finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
              std::function<void(node_id)> const& killed) override {
    using clock = std::chrono::steady_clock;
    auto const lead = reactor_.lead();
    std::vector<clock::time_point> worked(nodes_, clock::now());
    while (network_.any_connected()) {
      bool any = false;
      for (node_id n = 1; n < worked.size(); ++n) {
        if (!network_.connected(n)) continue;
        if (works && works(n)) worked[n] = clock::now();
        bool const in_time = clock::now() - worked[n] <= patience;
        if (!in_time && killed) killed(n);
        any = any || in_time;
      }
      if (!any) break;
      reactor_.work_for(std::chrono::milliseconds(1));
    }
  }

 private:
  reactor& reactor_;
  transport const& network_;
  mpi_session& session_;
  std::size_t const nodes_;
};

}  // namespace ovlp::real
