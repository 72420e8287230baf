// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../reactor.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../membership.hpp"
#include "../options.hpp"
#include "../output.hpp"
#include "../run_state.hpp"
#include "../transport.hpp"
#include "node_processes.hpp"
#include "slurm_shrinker.hpp"

namespace ovlp::real {

/// On node 0: the processes of the other nodes, from the decision to launch one to its end.
/// Thread: the reactor, except where said.
class launches {
 public:
  /// `start_s`: when the run began. `errors`: for what Slurm refuses.
  launches(transport& network, membership& members, run_state const& run, real_options const& options,
           std::string secret, double start_s, std::unique_ptr<node_processes> processes,
           std::shared_ptr<output> errors);

  /// Starts a process of each node; of one whose last process is still connected, when that has gone.
  /// Errors: network_error, config_error, io_error.
  void launch(std::set<node_id> const& nodes, bool joins_later);
  /// The node's process has gone. Returns whether the node is to be launched again now.
  bool is_next(node_id node) { return waiting_.erase(node) > 0; }
  /// Nodes wait for their last process to go.
  bool any_waits() const { return !waiting_.empty(); }
  /// Ends the run if a process does not join it. `more_leave`: others will soon be released. Returns nodes that were
  /// released and whose processes have ended since.
  std::set<node_id> tick(bool more_leave);

  /// The node's process is to end by itself. Its machine goes back to the system that lent it.
  void release(node_id node);
  void kill(node_id node) { processes_->kill(node); }
  /// How the node's process has ended, if it has, or does in a moment.
  std::optional<std::string> ended_soon(node_id node);
  /// node_processes::finish. Thread: the main thread.
  void finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
              std::function<void(node_id)> const& killed) {
    processes_->finish(patience, works, killed);
    if (slurm_) slurm_->finish();
  }
  /// After finish(). Thread: the main thread.
  std::vector<node_processes::bad_end> bad_ends() const { return processes_->bad_ends(); }

 private:
  void start(node_id node, bool joins_later);

  transport& network_;
  membership& members_;
  run_state const& run_;
  real_options const& options_;
  std::string const secret_;
  double const start_s_;  ///< of the run
  std::unique_ptr<node_processes> const processes_;
  std::map<node_id, std::size_t> count_;  ///< of each node, so far
  std::set<node_id> waiting_;             ///< nodes to be launched once their last process has gone
  std::set<node_id> ended_;               ///< nodes whose process has ended before it joined
  std::chrono::steady_clock::time_point last_launch_;
  std::optional<slurm_shrinker> slurm_;
};

}  // namespace ovlp::real
