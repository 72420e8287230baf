// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

namespace ovlp::real {

/// The processes of the other nodes, as node 0 sees them. It starts and watches them, or somebody else does: then most
/// functions have nothing to do. Thread: the reactor's or the main thread, one at a time.
class node_processes {
 public:
  /// A process that ended by itself but not with status 0: what it did last has failed.
  struct bad_end {
    node_id node;
    std::string how;  ///< as ended() says
  };

  node_processes() = default;
  node_processes(node_processes const&) = delete;
  node_processes& operator=(node_processes const&) = delete;
  virtual ~node_processes() = default;

  /// Has a process become the node: one that this command starts, or one that is there. Errors: io_error.
  virtual void start(node_id node, std::vector<std::string> const& command, std::string const& ticket) = 0;
  /// How the node's process ended, as in "ended with status 1" or "was killed by signal 9"; nothing while it runs.
  virtual std::optional<std::string> ended(node_id /*node*/) { return std::nullopt; }
  /// The last line that the node's process has printed on standard error, cut when it is long; empty if there is none.
  virtual std::string last_error(node_id /*node*/) { return ""; }
  /// Ends the node's process if it still runs; also one that is stopped.
  virtual void kill(node_id /*node*/) {}
  /// The node's process is to end by itself; reap() then leaves nothing of it.
  virtual void release(node_id /*node*/) {}
  /// Returns nodes that have no process since: all were released and have ended.
  virtual std::set<node_id> reap() { return {}; }
  /// Waits until all processes have ended and all they printed is out. Kills a process that runs `patience` after
  /// `works` has last said of its node that it still works, and tells `killed`. Either function may be empty.
  virtual void finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
                      std::function<void(node_id)> const& killed) = 0;
  /// Of what has been reaped or finished.
  virtual std::vector<bad_end> bad_ends() const { return {}; }
};

}  // namespace ovlp::real
