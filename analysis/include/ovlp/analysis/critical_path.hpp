// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ovlp/records/recorded_run.hpp>

namespace ovlp::analysis {

/// What a piece of the critical path is spent with.
enum class path_activity : std::uint8_t {
  step,          ///< an atomic step, from its start to its end
  send,          ///< the sender's processor, before the first byte enters the network
  network,       ///< from the first byte on its way to the last byte across
  receive,       ///< the receiver's processor, until the object is delivered
  message,       ///< all three, where a run knows no more: of a real run, and of control messages
  launch,        ///< a node, from the request until it has joined
  main_program,  ///< between the calls of the main program, and before the first
  unrecorded,    ///< what no record tells: wake-ups, states that are made or taken, the scheduling of the system
};

/// A piece of the critical path.
struct path_piece {
  path_activity what;
  double start_s, end_s;
  double latency_s = 0;            ///< of the network: as long its latency phase was
  std::size_t step = 0;            ///< of a step: its number in the run
  operation_place at{};            ///< of a step; of a message whose object was posted, the operation that did
  std::uint32_t to_operation = 0;  ///< of such a message: of the same graph
  bool posted = false;             ///< of a message: `at` and `to_operation` are known
  std::uint32_t source = 0;        ///< of a message: the nodes
  std::uint32_t destination = 0;
};

/// A kernel in a step of the critical path.
struct path_kernel {
  std::string name;
  double start_s, end_s;
  double work_s;
};

/// The longest chain of activities of which each had to end before the next could begin. To shorten a run means to
/// shorten this one. Its pieces follow each other from the start of the run to its end, without a gap.
struct critical_path {
  double start_s = 0, end_s = 0;     ///< of the run: from its first record to the end of its last call
  std::vector<path_piece> pieces;    ///< in order
  std::vector<path_kernel> kernels;  ///< in its steps

  /// Seconds of its activities: the run's time without what is unrecorded.
  double length_s() const;
  double run_s() const { return end_s - start_s; }
};

/// Finds it: a longest path in the acyclic graph of what happened, by Boost.Graph.
///
/// Vertices are begins and ends of steps, and the events of messages, launches and calls. Edges are the activities,
/// with their seconds, and dependencies, with none: a step depends on the object that it got, and on the step before it
/// in its DPS thread; a message on the step that posted it, and on the message before it to that node. Where these
/// don't reach up to an event (an operation goes on because of a credit, a total, a condition), it depends on what
/// ended last on its node, since nothing happens on a node without an event there.
///
/// Memory: about 100 bytes a step or message. Thread: any. Errors: ovlp::error, if no call has ended.
critical_path find_critical_path(recorded_run const& run);

}  // namespace ovlp::analysis
