// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <sys/types.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

#include "output.hpp"

namespace ovlp::real {

/// Where the nodes of a run live. Without hosts all are processes of this machine.
struct cluster {
  std::vector<std::string> hosts;  ///< by node; empty: this machine only
  std::string launch_template;     ///< empty: the program is started directly

  bool local() const { return hosts.empty(); }
};

/// Reads a hosts file: one host a line, '#' begins a comment. Errors: config_error with file and line.
std::vector<std::string> read_hosts(std::string const& file);

/// The words of the command that starts a node. `{host}`, `{node}` and `{program}` stand for themselves wherever they
/// occur; the word `{arguments}` for all arguments, quoted for the remote shell if the command is ssh or rsh.
/// Errors: config_error if a name in braces is unknown.
std::vector<std::string> launch_command(std::string const& launch_template, std::string const& host, node_id node,
                                        std::string const& program, std::vector<std::string> const& arguments);

/// The processes that node 0 started. What they print comes out here, line by line, with the node's name before it.
/// Thread: the reactor's or the main thread, one at a time.
class launcher {
 public:
  launcher(reactor& reactor, std::shared_ptr<output> out, std::shared_ptr<output> errors)
      : reactor_(reactor), out_{std::move(out), std::move(errors)} {}
  launcher(launcher const&) = delete;
  launcher& operator=(launcher const&) = delete;
  ~launcher();

  /// Starts a process and writes `ticket` to its standard input, which stays open: a process whose input ends has lost
  /// node 0. Errors: io_error.
  void start(node_id node, std::vector<std::string> const& command, std::string const& ticket);
  /// How the node's process ended, as in "ended with status 1" or "was killed by signal 9"; nothing while it runs.
  std::optional<std::string> ended(node_id node);
  /// The last line that the node's process has printed on standard error, cut when it is long; empty if there is none.
  std::string last_error(node_id node);
  /// Ends the node's process if it still runs; also one that is stopped.
  void kill(node_id node);
  /// The node's process is to end by itself; reap() then leaves nothing of it.
  void release(node_id node);
  void reap();
  /// Waits until all processes have ended and all they printed is out. Kills a process that runs `patience` after
  /// `works` has last said of its node that it still works, and tells `killed`. Either function may be empty.
  void finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
              std::function<void(node_id)> const& killed);
  /// Of what has been reaped or finished, the processes that ended by themselves but not with status 0: what they did
  /// last has failed.
  struct bad_end {
    node_id node;
    std::string how;  ///< as ended() says
  };
  std::vector<bad_end> const& bad_ends() const { return bad_ends_; }

 private:
  struct child;
  void note_end(child const& of);
  std::shared_ptr<child> find(node_id node);
  static void forward(std::shared_ptr<child> const& from, std::size_t which);

  reactor& reactor_;
  std::array<std::shared_ptr<output>, 2> out_;
  std::vector<std::shared_ptr<child>> children_;
  std::vector<bad_end> bad_ends_;
};

}  // namespace ovlp::real
