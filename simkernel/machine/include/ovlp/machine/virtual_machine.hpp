// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <ovlp/machine/event_queue.hpp>
#include <ovlp/machine/message.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/machine/thread.hpp>

namespace ovlp::machine {

/// Virtual nodes with processors, joined by a network, and a clock: what a program that is simulated computes and sends
/// takes its time here. It knows nothing of flow graphs.
///
///     virtual_machine machine(platform::find("gigabit"), 2);
///     machine.send(hello);                  // a message from node 0 to node 1, with a delivered() of its own
///     while (machine.advance()) {}          // until nothing happens any more
///
/// Units: seconds of simulated time from its start; work in CPU seconds on the platform's reference core; bytes.
/// Thread: one at a time. Machines are independent of one another.
/// Source: the paper, sections 3 and 4; docs/model.md.
class virtual_machine {
 public:
  /// `vary`: one of many machines that could be, by this seed: quotas begin at other moments, speeds differ as the
  /// platform says. Errors: config_error if the network cannot tell what the platform charges for.
  virtual_machine(platform const& on, std::size_t nodes, std::optional<std::uint64_t> vary = {});
  ~virtual_machine();
  virtual_machine(virtual_machine const&) = delete;
  virtual_machine& operator=(virtual_machine const&) = delete;

  /// The clock; timers, and the order of what happens at one instant.
  event_queue& events();
  double now_s() const;
  /// Goes on to the next instant at which something happens. Returns false if nothing does.
  bool advance();

  /// What a thread of a node computes with.
  processor& processor_of(node_id node);
  /// Whether nothing is to be computed there. If advance() has nothing to go on to, a node that is not idle stands
  /// still for good.
  bool idle(node_id node) const;
  /// `by`: the thread that sends it, which may have to do what it costs there; else the node's I/O thread does.
  void send(message& m, thread* by = nullptr);
  /// How much longer than so long a kernel takes that begins now.
  double computing_extra_s(node_id node, double kernel_s);

  /// What communication has cost so far.
  struct usage {
    double communication_s;  ///< CPU time that it took from all nodes
    std::uint64_t flips;     ///< of the network model
    std::uint64_t messages;  ///< from node to node
    std::uint64_t objects;   ///< of them
    /// Messages that have waited for others to their node and then for their whole latency, since the network,
    /// SimGrid's, cannot let them follow one another down the wire.
    std::uint64_t whole_latencies = 0;
  };
  usage used() const;
  /// CPU time that each node has used so far, by number: of its threads, whatever they did, and what communication took
  /// from its cores.
  std::vector<double> node_cpu_s() const;

  // What has come into play so far.
  bool varies() const;
  /// Whether its quota has made a node wait.
  bool throttled(node_id node) const;
  /// When its first slow-down begins; never: it has none.
  double first_slowdown_s(node_id node) const;

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp::machine
