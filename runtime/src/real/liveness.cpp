// SPDX-License-Identifier: BSD-3-Clause
#include "liveness.hpp"

#include <unistd.h>

#include <memory>

#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>

#include <ovlp/base/text.hpp>
#include <ovlp/runtime/internal/periodic.hpp>
#include <ovlp/runtime/internal/signal_line.hpp>

namespace ovlp::real {
namespace {

constexpr std::chrono::seconds heartbeat_period{1};
constexpr std::chrono::seconds input_patience{1};

}  // namespace

liveness::liveness(reactor& reactor, transport& network, membership const& members, run_state const& run,
                   launches* started, node_id self, double peer_timeout_s)
    : reactor_(reactor),
      network_(network),
      members_(members),
      run_(run),
      launches_(started),
      self_(self),
      peer_timeout_(peer_timeout_s),
      last_tick_(transport::clock::now()),
      input_(reactor.context()) {}

void liveness::start() {
  if (sender_.joinable()) return;
  sender_ = periodically(tick_period, [this] { network_.send_heartbeats(heartbeat_period); });
}

void liveness::tick() {
  auto const now = transport::clock::now();
  auto const since = now - std::exchange(last_tick_, now);
  // If it is longer, we were stopped, or had much to do.
  auto const missed = std::max(transport::clock::duration::zero(), since - tick_period);
  if (run_.finishing()) return;
  for (node_id node : members_.heard()) {
    if (!network_.connected(node)) continue;
    std::chrono::duration<double> const silent = silences_[node].at(now, network_.last_received(node), missed);
    if (peer_timeout_.count() <= 0 || silent <= peer_timeout_) continue;
    network_.give_up(node, "it has been silent for " + base::fixed(silent.count(), 1) + " s");
    return;  // one loss is enough
  }
}

bool liveness::has_sent_lately(node_id node) const {
  return network_.connected(node) && transport::clock::now() - network_.last_received(node) < 2 * heartbeat_period;
}

void liveness::watch_driver() {
  if (!input_.is_open()) input_.assign(::dup(STDIN_FILENO));
  input_.async_read_some(boost::asio::buffer(input_bytes_), [this](boost::system::error_code error, std::size_t) {
    if (!error) {
      watch_driver();
      return;
    }
    // Node 0 closes our input when the run ends; that it has ended may still be on its way.
    auto const patience = std::make_shared<boost::asio::steady_timer>(reactor_.context(), input_patience);
    patience->async_wait([this, patience](boost::system::error_code) {
      if (!run_.finishing()) end_process("node0 has ended");
    });
  });
}

void liveness::handle_lost(node_id node, std::string const& how, bool silent) {
  if (self_ == 0) {
    report_lost(node, how, silent);
  } else if (node == 0) {
    end_process("lost node0: " + how);
  } else {
    network_.send(0, peer_lost{node, how, silent});
  }
}

void liveness::handle_peer_lost(node_id from, peer_lost const& message) {
  if (members_.leaving(message.node)) return;
  report_lost(message.node, "its connection to " + node_name(from) + ": " + message.how, message.silent);
}

void liveness::report_lost(node_id node, std::string const& how, bool silent) {
  std::string text = node_name(node) + " is lost: " + how;
  if (silent) {
    launches_->kill(node);  // it may be stopped, and would not learn that the run has ended
  } else if (auto const end = launches_->ended_soon(node)) {
    text += "; its process " + *end;
  }
  run_.fail(network_failure(text));
}

void liveness::end_process(std::string const& why) const {
  signal_line text;
  text << "ovlp: " << node_name(self_) << " ends: " << why << "\n";
  if (!signal_line::would_wait()) text.print();
  ::_exit(1);
}

}  // namespace ovlp::real
