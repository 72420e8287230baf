// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/mpi/trace.hpp>
#include <ovlp/records/sink.hpp>

namespace ovlp::mpi {

/// What a rank does, as an operation of a graph: computing, or one of MPI's calls.
using activity = std::uint32_t;
inline constexpr activity computing = 0, sending = 1, receiving = 2, waiting = 3;
activity activity_of(collective const& c);

/// A message, for its records.
struct recorded_message {
  std::uint64_t number;  ///< from 1
  rank_id from, to;
  std::uint64_t bytes;
  activity in;  ///< whose it is: `computing`: a send's, or that collective's
  double sent_s;
  std::int32_t tag;
  index communicator;
  double arrived_s = 0;
};

/// A call that sends or receives, until it has ended.
struct recorded_call {
  message_end end = message_end::send;
  bool blocks = false;  ///< the rank
  mpi_moment begun{};
  recorded_message about{};  ///< of a receive known when it has come
};

/// Tells a sink of a replay in the words of flow graphs: ranks are the threads of one collection, "ranks", and all
/// calls the operations of one graph; a non-blocking collective runs in a thread of its own. A burst is a step; who
/// waits in a call is suspended there; a call that sends, or gets a message, is a step without time, that posts the
/// message as an object or begins with it. Beside that, each end of a message is a call of MPI.
class replay_records {
 public:
  /// `nodes`: of ranks.
  replay_records(record_sink& to, trace const& what, machine::platform const& on,
                 std::vector<std::uint32_t> const& nodes);

  void begin();
  /// `failure`: why it cannot go on; empty: all ranks have ended.
  void end(double now_s, std::string const& failure = "");
  void burst(rank_id rank, double from_s, double to_s, double work_s);
  /// It waited in a call, for a message or until one could go.
  void waited(rank_id rank, activity in, wait_cause cause, double from_s, double to_s);
  void sent(recorded_message const& m);
  /// Between nodes.
  void crossed(recorded_message const& m, double started_s, double latency_s, double now_s);
  void arrived(recorded_message const& m, double now_s);
  /// The receiver has it.
  void received(recorded_message const& m, activity in, double now_s);
  recorded_call begun(message_end end, bool blocks, recorded_message const& about, double now_s);
  void ended(recorded_call const& its, double now_s);

 private:
  operation_place place(rank_id rank, activity what) const;
  static object_key key(recorded_message const& m) { return {m.number, 0, m.in == computing ? receiving : m.in}; }
  std::uint32_t node_of(rank_id rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

  record_sink& to_;
  std::vector<std::uint32_t> const& nodes_;
  run_definitions names_;
  std::uint64_t moments_ = 0;
};

}  // namespace ovlp::mpi
